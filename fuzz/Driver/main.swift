import Glibc

/// The fuzzer of libFuzzer, with the reader that the first argument names.
/// usage: posed-fuzz TARGET [OPTION...] [FOLDER...]    options and folders are those of libFuzzer
@_silgen_name("LLVMFuzzerRunDriver")
private func runFuzzer(
    _ count: UnsafeMutablePointer<Int32>,
    _ words: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

/// Set once at the start, before the fuzzer runs.
nonisolated(unsafe) private var chosen = FuzzTarget.command

private func readOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    chosen.read(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}

private func main() -> Int32 {
    let names = FuzzTarget.allCases.map(\.rawValue)
    if CommandLine.arguments.dropFirst() == ["--list"] {
        print(names.joined(separator: "\n"))
        return 0
    }
    guard CommandLine.arguments.count > 1, let target = FuzzTarget(rawValue: CommandLine.arguments[1]) else {
        print("usage: posed-fuzz TARGET [OPTION...] [FOLDER...]; targets: \(names.joined(separator: " "))")
        return 64
    }
    chosen = target
    // The fuzzer sees the program's name and what follows the target.
    let words = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: CommandLine.arguments.count)
    words[0] = CommandLine.unsafeArgv[0]
    for index in 2..<max(CommandLine.arguments.count, 2) { words[index - 1] = CommandLine.unsafeArgv[index] }
    words[CommandLine.arguments.count - 1] = nil
    var count = CommandLine.argc - 1
    var list = words
    return runFuzzer(&count, &list, readOne)
}

exit(main())
