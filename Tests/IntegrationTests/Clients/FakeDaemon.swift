import CSystem
import Foundation
import Frames
import Glibc

/// The daemon's end of a client's connection; the test writes it packet by packet.
final class FakeDaemon {
    let folder: TemporaryFolder
    private let listener: Int32
    private var connection: Int32 = -1

    struct Failure: Error {}

    init() throws {
        folder = try TemporaryFolder()
        listener = posed_unix_socket(Int32(SOCK_SEQPACKET.rawValue))
        guard posed_bind(listener, "\(folder.path)/frames") == 0, listen(listener, 4) == 0 else { throw Failure() }
    }

    deinit {
        close(listener)
        hangUp()
    }

    var path: String { "\(folder.path)/frames" }

    /// Waits for the client, and sends hello.
    func accept() -> Bool {
        guard
            DaemonProcess.poll(
                seconds: 60,
                {
                    self.connection = posed_accept(self.listener); return self.connection >= 0
                })
        else { return false }
        send(Message.hello(.init(release: "fake")).packet(sequence: 1))
        return true
    }

    /// The client's subscription.
    func subscription() -> Message.Subscription? {
        var buffer = [UInt8](repeating: 0, count: 512)
        var notes: Int32 = 0
        var count = -1
        _ = DaemonProcess.poll(seconds: 60) {
            count = posed_receive(self.connection, &buffer, buffer.count, &notes); return count > 0
        }
        guard count > 0, let received = try? buffer[..<count].withUnsafeBytes({ try ReceivedMessage(packet: $0) })
        else { return nil }
        if case .subscribe(let wish) = received.message { return wish }
        return nil
    }

    func send(_ packet: [UInt8]) { _ = posed_send(connection, packet, packet.count) }

    func hangUp() {
        if connection >= 0 { close(connection) }
        connection = -1
    }
}
