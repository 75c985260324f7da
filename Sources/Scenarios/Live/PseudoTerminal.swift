import CSystem
import Glibc

/// A pseudo-terminal to which NMEA is written, as a receiver on a serial line does. gpsd opens its other end.
struct PseudoTerminal: ~Copyable {
    /// Path of the end for gpsd.
    let path: String
    private let master: Int32
    /// The other end stays open here, so that writing does not fail before gpsd opens it and after it closes it.
    private let other: Int32

    /// TIOCSPTLCK and TIOCGPTN, which Swift does not import: what unlockpt and ptsname of the C library do.
    private static let setLock: UInt = 0x4004_5431
    private static let getNumber: UInt = 0x8004_5430

    /// Opens a pseudo-terminal without echo and translation; `nil` if the system has none.
    init?() {
        let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        guard master >= 0 else { return nil }
        var (isLocked, number): (Int32, UInt32) = (0, 0)
        guard ioctl(master, Self.setLock, &isLocked) == 0, ioctl(master, Self.getNumber, &number) == 0 else {
            close(master)
            return nil
        }
        let name = "/dev/pts/\(number)"
        let other = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard other >= 0 else {
            close(master)
            return nil
        }
        var attributes = termios()
        tcgetattr(other, &attributes)
        cfmakeraw(&attributes)
        tcsetattr(other, TCSANOW, &attributes)
        self.master = master
        self.other = other
        path = name
    }

    deinit {
        close(other)
        close(master)
    }

    /// Writes bytes. What nobody reads is dropped when the buffer is full, as on a serial line.
    func write(_ bytes: [UInt8]) {
        if bytes.withUnsafeBytes({ Glibc.write(master, $0.baseAddress, $0.count) }) < 0, errno == EAGAIN {
            tcflush(other, TCIFLUSH)
        }
        // gpsd sends probes to the receiver; nobody answers them.
        var probe = [UInt8](repeating: 0, count: 512)
        while read(master, &probe, probe.count) > 0 {}
    }
}
