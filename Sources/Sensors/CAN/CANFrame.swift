import SensorInterface

/// The kernel's form of an identifier and the mask that selects it.
struct CANFilter: Hashable, Sendable {
    /// Bits of an identifier of 29 bits with the kernel's flags.
    private static let exact: UInt32 = 0xC000_0000 | 0x1FFF_FFFF

    /// Identifier with the kernel's flags.
    var id: UInt32
    /// The bits of it that must be equal.
    var mask: UInt32 = exact

    /// The identifiers of responses by OBD-II.
    static func responses(_ diagnostics: CANDiagnostics) -> CANFilter? {
        switch diagnostics {
        case .off: nil
        case .standard: CANFilter(id: 0x7E8, mask: exact & ~0x7)
        case .extended: CANFilter(id: 0x98DA_F100, mask: exact & ~0xFF)
        }
    }

    /// Whether it lets an identifier pass.
    func passes(_ other: UInt32) -> Bool { other & mask == id & mask }
}

/// Errors of the bus that the kernel reports as frames (linux/can/error.h).
enum CANBusState: Sendable {
    /// No error reported.
    case active
    /// The controller has many errors: the bit rate, the termination or the wiring is wrong, or no other node answers.
    case passive
    /// The controller has left the bus after too many errors.
    case off

    /// The state after an error frame; `nil` if it says nothing of it.
    init?(error id: UInt32, data: UnsafeRawBufferPointer) {
        if id & 0x40 != 0 {
            self = .off
        } else if id & 0x100 != 0 {
            self = .active
        } else if id & 0x4 != 0, data.count >= 2 {
            self = data[1] & 0x30 != 0 ? .passive : .active
        } else {
            return nil
        }
    }

    /// Whether an error frame says that the controller had no room for a frame, which is lost.
    static func isOverflow(error id: UInt32, data: UnsafeRawBufferPointer) -> Bool {
        id & 0x4 != 0 && data.count >= 2 && data[1] & 0x1 != 0
    }
}
