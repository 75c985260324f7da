import Glibc

/// Runs `body` while the process has no free descriptor, and frees them again.
///
/// All of them are taken. A limit at the lowest free number is not enough: where a descriptor has been closed below one
/// that is open, that limit lies below the open one, and whoever closes the open one cannot open another in its place.
///
/// The descriptors are those of the whole process: for a test in a process of its own.
package func withoutFreeDescriptors<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
) throws(Failure) -> Result {
    let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var usual = rlimit()
    getrlimit(files, &usual)
    // Enough for what a test has open, and soon taken.
    var limit = rlimit(rlim_cur: min(usual.rlim_cur, 1024), rlim_max: usual.rlim_max)
    setrlimit(files, &limit)
    var taken: [Int32] = []
    while case let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC), descriptor >= 0 { taken.append(descriptor) }
    defer {
        for descriptor in taken { close(descriptor) }
        setrlimit(files, &usual)
    }
    return try body()
}
