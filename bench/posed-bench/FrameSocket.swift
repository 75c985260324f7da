import CPosed
import Frames
import Glibc

/// A client of the `frames` socket that reads only the time of each frame.
struct FrameSocket {
    /// The connected socket.
    let descriptor: Int32

    /// Connects; `nil` while no process listens. The socket `stream` has another type.
    init?(path: String, type: __socket_type = SOCK_SEQPACKET) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let fresh = socket(AF_UNIX, Int32(type.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard fresh >= 0 else { return nil }
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(fresh, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard connected == 0 else {
            Glibc.close(fresh)
            return nil
        }
        descriptor = fresh
    }

    /// Connects as soon as a daemon listens, which has ten seconds: how fast it is, is a figure of its own.
    static func whenServed(path: String, by daemon: pid_t) throws -> FrameSocket {
        let deadline = monotonicNanoseconds() + 10_000_000_000
        while monotonicNanoseconds() < deadline {
            if let socket = FrameSocket(path: path) { return socket }
            guard ChildProcess.isRunning(daemon) else { throw BenchError("posed ended before it listened") }
            usleep(200)
        }
        throw BenchError("posed did not listen within 10 s")
    }

    /// Reads up to the first frame with a measurement; whether one came in time.
    func waitForFrame(seconds: Double) -> Bool {
        var packet = [UInt8](repeating: 0, count: 65_536)
        let end = monotonicNanoseconds() + Int64(seconds * 1e9)
        while monotonicNanoseconds() < end {
            var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&ready, 1, 100) == 1 else { continue }
            let count = recv(descriptor, &packet, packet.count, Int32(MSG_DONTWAIT))
            guard count > 0 else { return false }
            let time = packet[..<count].withUnsafeBytes { Self.time(ofPacket: $0) }
            if let time, time > 0 { return true }
        }
        return false
    }

    /// Subscribes to all topics of all frames.
    func subscribeToEveryFrame() {
        let packet = Message.subscribe(.init(topics: [.pose, .guidance, .speed, .sources], rateMillihertz: 0)).packet(
            sequence: 0)
        send(descriptor, packet, packet.count, Int32(MSG_NOSIGNAL))
    }

    /// Disconnects.
    func close() { Glibc.close(descriptor) }

    /// The time of the newest measurement in a frame (from which the pose is predicted to its publishing),
    /// CLOCK_MONOTONIC nanoseconds; `nil` for a packet that is not a frame.
    static func time(ofPacket packet: UnsafeRawBufferPointer) -> Int64? {
        let (head, stamp) = (MemoryLayout<posed_header>.size, MemoryLayout<posed_stamp>.size)
        guard packet.count >= head + stamp, packet.loadUnaligned(as: posed_header.self).type == UInt16(POSED_FRAME)
        else { return nil }
        return packet.loadUnaligned(fromByteOffset: head, as: posed_stamp.self).measured_ns
    }
}

/// The age of measurements when the frame is read.
struct FrameAges {
    /// Ages from the newest measurement in a frame to its reading, for each frame of each client.
    var milliseconds: [Double] = []
    /// Frames per second, read by all clients together.
    var perSecond = 0.0

    /// Reads sockets for some seconds; frames of the first seconds are not counted. `time` reads the time in a packet.
    static func collect(
        _ descriptors: [Int32], seconds: Double, discardingFirst warmUp: Double,
        time: (UnsafeRawBufferPointer) -> Int64?
    ) -> FrameAges {
        var waits = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
        defer { buffer.deallocate() }
        var ages = FrameAges()
        let begin = monotonicNanoseconds()
        let (first, last) = (begin + Int64(warmUp * 1e9), begin + Int64(seconds * 1e9))
        while monotonicNanoseconds() < last, !waits.isEmpty {
            guard poll(&waits, nfds_t(waits.count), 100) > 0 else { continue }
            for index in waits.indices where waits[index].revents != 0 {
                let count = recv(waits[index].fd, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
                let now = monotonicNanoseconds()
                if count == 0 { waits[index].fd = -1 }
                guard count > 0, now >= first, let instant = time(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                else { continue }
                ages.milliseconds.append(Double(now - instant) / 1e6)
            }
        }
        ages.perSecond = Double(ages.milliseconds.count) / (seconds - warmUp)
        return ages
    }
}
