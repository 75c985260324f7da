/// The identifier of a CAN frame.
package struct CANIdentifier: Hashable, Sendable, CustomStringConvertible {
    /// Bit of the kernel's form and of DBC files that marks an extended identifier.
    package static let extendedFlag: UInt32 = 0x8000_0000

    /// The identifier as the kernel has it: with ``extendedFlag`` for 29 bits.
    package let kernelValue: UInt32

    /// Creates an identifier from a number: up to 0x7FF with 11 bits, more with 29; with bit 31 (as in DBC files)
    /// always with 29. `nil` if it has more bits.
    package init?(_ number: UInt32) {
        let value = number & ~Self.extendedFlag
        guard value < 1 << 29 else { return nil }
        kernelValue = number == value && value <= 0x7FF ? value : value | Self.extendedFlag
    }

    /// Whether it has 29 bits.
    package var isExtended: Bool { kernelValue & Self.extendedFlag != 0 }

    /// `0x1A0`, or `0x98FEF100` for 29 bits, which ``init(_:)`` reads.
    package var description: String { "0x" + String(kernelValue, radix: 16, uppercase: true) }
}

/// A signal of the vehicle bus: where it is in which frame, and what its number means. docs/can.md has the text form.
package struct CANSignal: Hashable, Sendable {
    /// The part of a frame that selects among several signals at the same place.
    package struct Multiplexer: Hashable, Sendable {
        /// The bits of the selector.
        package var field: CANBitField
        /// The selector's value for frames with this signal.
        package var value: UInt64
    }

    /// Maximum number of raw values that mean "not available".
    package static let mostUnavailable = 4

    /// The text that it was read from.
    package let text: String
    /// The frame.
    package let id: CANIdentifier
    /// Length that frames have at least, bytes.
    package let frameBytes: Int
    /// Its bits.
    package let field: CANBitField
    /// Physical value per count.
    package let factor: Double
    /// Physical value of 0.
    package let offset: Double
    /// Valid physical values; `nil`: all.
    package let range: ClosedRange<Double>?
    /// Unit as text; `nil` if it is not stated.
    package let unit: String?
    /// Raw values that mean "not available", as unsigned numbers.
    package let unavailable: [UInt64]
    /// The selector; `nil`: every frame has the signal.
    package let multiplexer: Multiplexer?

    /// The value of a signal in a frame.
    package enum Reading: Hashable, Sendable {
        /// Its physical value.
        case value(Double)
        /// The frame has another signal at that place.
        case notInFrame
        /// The frame is too short.
        case shortFrame
        /// The raw value means "not available".
        case notAvailable
        /// The physical value is outside its range.
        case outOfRange
    }

    /// Reads the signal from the data of a frame with its identifier.
    package func read(_ data: UnsafeRawBufferPointer) -> Reading {
        if let multiplexer {
            guard let selected = multiplexer.field.bits(of: data) else { return .shortFrame }
            guard selected == multiplexer.value else { return .notInFrame }
        }
        guard let bits = field.bits(of: data) else { return .shortFrame }
        guard !unavailable.contains(bits) else { return .notAvailable }
        let value = field.number(bits) * factor + offset
        if let range { return range.contains(value) ? .value(value) : .outOfRange }
        return value.isFinite ? .value(value) : .outOfRange
    }

    /// Metres per second per unit of a speed; `nil` if the unit is none of a speed.
    package var metersPerSecondPerUnit: Double? {
        switch unit?.lowercased() {
        case "m/s": 1
        case "km/h", "kph", "kmh", "km/hr": 1 / 3.6
        case "mph", "mi/h": 0.44704
        case "cm/s": 0.01
        default: nil
        }
    }
}

/// What is wrong with the text of a signal.
package struct CANSignalProblem: Error, Hashable, CustomStringConvertible {
    /// The problem and the remedy.
    package let description: String

    init(_ description: String) { self.description = description }
}
