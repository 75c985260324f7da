import CSystem
import Frames
import Glibc
import PoseMath

@testable import Publishing

/// A client of a fan-out; the test holds the other end of its connection.
final class SocketPair {
    let client: Client
    let far: Int32

    /// `userId`: the user of the client; `nil`: the user that runs the test.
    init(_ kind: SocketKind, now: MonotonicTime = MonotonicTime(nanoseconds: 0), userId: UInt32? = nil) {
        var ends: [Int32] = [-1, -1]
        socketpair(AF_UNIX, kind.type | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends)
        far = ends[1]
        client = Client(
            descriptor: ends[0], kind: kind, number: UInt64(ends[0]),
            peer: userId.map { Peer(processId: 1, userId: $0, mayCommand: false) }
                ?? Peer(descriptor: ends[0], socketGroup: getegid()), now: now)
    }

    deinit { close(far) }

    /// One packet, or the bytes available in the stream; `nil` if there are none.
    func receive() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        let count = recv(far, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        return count > 0 ? Array(buffer[..<count]) : nil
    }

    /// All received lines; only the last may be incomplete.
    func lines() -> [String] {
        var text: [UInt8] = []
        while let bytes = receive() { text += bytes }
        return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// All available messages.
    func messages() -> [ReceivedMessage] {
        var messages: [ReceivedMessage] = []
        while let packet = receive() {
            if let message = try? packet.withUnsafeBytes({ try ReceivedMessage(packet: $0) }) {
                messages.append(message)
            }
        }
        return messages
    }
}
