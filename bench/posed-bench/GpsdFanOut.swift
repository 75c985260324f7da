import CBench
import Glibc

/// A real gpsd on a pseudo-terminal with the maximum number of clients: the time from writing a sentence to reading its
/// report.
struct GpsdFanOut {
    private static let program = "/usr/sbin/gpsd"
    /// Maximum number of clients of gpsd.
    private static let clients = 64
    private static let rateHertz = 20.0

    /// The 99th percentile of the ages, milliseconds.
    func tailMilliseconds() throws -> Double {
        guard access(Self.program, X_OK) == 0 else { throw BenchError("gpsd is not installed: scripts/packages test") }
        var name = [CChar](repeating: 0, count: 128)
        var far: Int32 = -1
        let near = bench_open_terminal(&far, &name, name.count)
        guard near >= 0 else { throw BenchError("cannot open a terminal: \(String(cString: strerror(errno)))") }
        defer {
            close(near)
            close(far)
        }
        let path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
        let port = UInt16(20_000 + Int(getpid()) % 9_000)
        let gpsd = try ChildProcess(Self.program, ["-N", "-n", "-S", String(port), path])
        var feeder = Feeder(descriptor: near)
        let sockets = try connect(port, &feeder)
        defer { for socket in sockets { close(socket) } }
        var ages: [Double] = []
        let (begin, end) = (monotonicNanoseconds() + 3_000_000_000, monotonicNanoseconds() + 13_000_000_000)
        collect(sockets, until: end, &feeder) { sent, now in if now >= begin { ages.append(Double(now - sent) / 1e6) } }
        _ = gpsd.id
        guard ages.count > 1000 else {
            throw BenchError("gpsd sent only \(ages.count) distinguishable reports")
        }
        Report.add(
            Figure(
                name: "gpsd, \(Self.clients) clients x 20 reports/s, median", value: Distribution(ages).median,
                unit: "ms", limit: .none))
        return Distribution(ages).quantile(0.99)
    }

    /// Writes one sentence per period; its time of day is its number.
    private struct Feeder {
        let descriptor: Int32
        var number = 0
        var due = monotonicNanoseconds()
        var sent: [Int: Int64] = [:]

        /// Writes the sentences that are due, and discards what gpsd writes.
        mutating func run(_ now: Int64) {
            var chunk = [UInt8](repeating: 0, count: 512)
            while read(descriptor, &chunk, chunk.count) > 0 {}
            guard now >= due else { return }
            due += Int64(1e9 / GpsdFanOut.rateHertz)
            number += 1
            let hundredths = number * Int(100 / GpsdFanOut.rateHertz)
            func two(_ value: Int) -> String { value < 10 ? "0\(value)" : String(value) }
            let time =
                "\(two(10 + hundredths / 360_000))\(two(hundredths / 6000 % 60))\(two(hundredths / 100 % 60))"
                + ".\(two(hundredths % 100))"
            let body = "GPRMC,\(time),A,4808.2292593,N,01134.5674074,W,29.751,142.500,250726,,,A"
            let sum = String(body.utf8.reduce(0, ^), radix: 16, uppercase: true)
            let sentence = Array("$\(body)*\(sum.utf8.count < 2 ? "0" : "")\(sum)\r\n".utf8)
            sent[hundredths] = monotonicNanoseconds()
            _ = write(descriptor, sentence, sentence.count)
        }
    }

    private func connect(_ port: UInt16, _ feeder: inout Feeder) throws -> [Int32] {
        var sockets: [Int32] = []
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let deadline = monotonicNanoseconds() + 15_000_000_000
        let wish = Array("?WATCH={\"enable\":true,\"json\":true};\n".utf8)
        while sockets.count < Self.clients, monotonicNanoseconds() < deadline {
            feeder.run(monotonicNanoseconds())
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            let result = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            if result == 0, send(descriptor, wish, wish.count, Int32(MSG_NOSIGNAL)) > 0 {
                sockets.append(descriptor)
            } else {
                close(descriptor)
                usleep(20_000)
            }
        }
        guard sockets.count == Self.clients else { throw BenchError("gpsd accepted \(sockets.count) clients") }
        return sockets
    }

    private func collect(_ sockets: [Int32], until end: Int64, _ feeder: inout Feeder, _ take: (Int64, Int64) -> Void) {
        var waits = sockets.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let key = Array("T1".utf8)
        while monotonicNanoseconds() < end {
            feeder.run(monotonicNanoseconds())
            guard poll(&waits, nfds_t(waits.count), 1) > 0 else { continue }
            for index in waits.indices where waits[index].revents != 0 {
                let count = recv(waits[index].fd, &buffer, buffer.count, Int32(MSG_DONTWAIT))
                let now = monotonicNanoseconds()
                if count <= 0 { waits[index].fd = -1 }
                // "time":"2026-07-25T10:00:00.050Z": the last report in the received bytes.
                guard count > 30,
                    let place = (1..<count).last(where: {
                        buffer[$0] == key[1] && buffer[$0 - 1] == key[0] && $0 + 11 < count
                    })
                else {
                    continue
                }
                let digits = buffer[place..<(place + 12)].map { Int($0) - 0x30 }
                let seconds =
                    ((digits[0] * 10 + digits[1]) * 60 + digits[3] * 10 + digits[4]) * 60 + digits[6] * 10 + digits[7]
                let hundredths = (seconds - 36_000) * 100 + digits[9] * 10 + digits[10]
                if let sent = feeder.sent[hundredths] { take(sent, now) }
            }
        }
    }
}
