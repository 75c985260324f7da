import CCAN
import Glibc

/// Why the vehicle bus cannot be opened or read, with the remedy.
struct CANFault: Error, Sendable {
    /// One sentence for people.
    var explanation: String
    /// Whether the interface exists.
    var isPresent: Bool

    /// The fault of opening an interface: the part that failed, and errno.
    init(opening interface: String, failed: Int32, code: Int32) {
        isPresent = failed == Int32(POSED_CAN_BIND)
        switch (Int(failed), code) {
        case (Int(POSED_CAN_SOCKET), EAFNOSUPPORT), (Int(POSED_CAN_SOCKET), EPERM):
            explanation =
                "this process may not use CAN: load the module can, and install the drop-in can.conf beside the unit "
                + "posed.service (docs/can.md)"
        case (Int(POSED_CAN_SOCKET), EPROTONOSUPPORT):
            explanation = "the kernel has no raw CAN sockets: load the module can_raw"
        case (Int(POSED_CAN_INTERFACE), _):
            explanation =
                "there is no network interface \(interface): plug it in, load its driver, or correct can.interface"
        case (Int(POSED_CAN_BIND), ENODEV):
            explanation = "\(interface) is no CAN interface: correct can.interface"
        case (Int(POSED_CAN_BIND), ENETDOWN): explanation = Self.down(interface)
        default:
            explanation = "cannot open \(interface): \(Self.text(code))"
        }
    }

    /// The fault of reading from or sending to an open interface.
    init(using interface: String, code: Int32) {
        isPresent = code == ENETDOWN
        switch code {
        case ENETDOWN: explanation = Self.down(interface)
        case ENODEV, ENXIO: explanation = "\(interface) was removed: plug it in again"
        default: explanation = "\(interface) can no longer be read: \(Self.text(code))"
        }
    }

    private static func down(_ interface: String) -> String {
        "\(interface) is down: ip link set \(interface) up type can bitrate 500000"
    }

    private static func text(_ code: Int32) -> String { String(cString: strerror(code)) }
}

/// A socket whose packets are CAN frames. Closes it at its end.
final class CANSocket {
    /// The result of a read.
    enum Read {
        /// The number of frames.
        case frames(Int)
        /// No frame yet.
        case nothing
        /// Failed with errno.
        case failed(Int32)
    }

    /// The descriptor to wait for.
    let descriptor: Int32
    private let frames = UnsafeMutablePointer<posed_can_frame>.allocate(capacity: CANSocket.capacity)
    private var droppedBefore: UInt32 = 0
    private var dropped: UInt32 = 0

    /// Largest number of frames of a read.
    static let capacity = 32

    /// Takes over a descriptor.
    init(descriptor: Int32) {
        self.descriptor = descriptor
        frames.initialize(repeating: posed_can_frame(), count: Self.capacity)
    }

    deinit {
        close(descriptor)
        frames.deallocate()
    }

    /// Opens an interface for the frames of some filters.
    static func open(_ interface: String, _ filters: [CANFilter]) -> Result<CANSocket, CANFault> {
        var failed: Int32 = 0
        let descriptor = posed_can_open(interface, filters.map(\.id), filters.map(\.mask), filters.count, &failed)
        guard descriptor >= 0 else {
            return .failure(CANFault(opening: interface, failed: failed, code: errno))
        }
        return .success(CANSocket(descriptor: descriptor))
    }

    /// Takes over a socket whose packets are CAN frames.
    static func adopt(_ descriptor: Int32) -> Result<CANSocket, CANFault> {
        guard posed_can_prepare(descriptor) == 0 else {
            return .failure(CANFault(using: "descriptor \(descriptor)", code: errno))
        }
        return .success(CANSocket(descriptor: descriptor))
    }

    /// Reads the frames that have come.
    func read() -> Read {
        let count = posed_can_receive(descriptor, frames, Self.capacity, &dropped)
        guard count < 0 else { return count == 0 ? .nothing : .frames(Int(count)) }
        return errno == EAGAIN || errno == EINTR ? .nothing : .failed(errno)
    }

    /// Passes a frame of the last read: its kind, its identifier, its data and the kernel's time.
    func withFrame<Result>(
        _ index: Int, _ body: (posed_can_frame, UnsafeRawBufferPointer) -> Result
    ) -> Result {
        let frame = frames + index
        let count = Int(min(frame.pointee.length, 64))
        return withUnsafeBytes(of: &frame.pointee.data) {
            body(frame.pointee, UnsafeRawBufferPointer(rebasing: $0[0..<count]))
        }
    }

    /// The number of frames for which the kernel had no room since the last call.
    func takeDropped() -> UInt64 {
        defer { droppedBefore = dropped }
        return UInt64(dropped &- droppedBefore)
    }

    /// Sends a frame of 8 bytes. Returns errno; 0 if it was sent.
    func send(id: UInt32, _ data: InlineArray<8, UInt8>) -> Int32 {
        data.span.withUnsafeBufferPointer { posed_can_send(descriptor, id, $0.baseAddress) == 0 ? 0 : errno }
    }
}
