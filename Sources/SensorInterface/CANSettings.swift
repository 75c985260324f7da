/// The wheels whose mean is the speed of the vehicle.
package enum CANWheels: String, Sendable, CaseIterable {
    /// Both rear wheels: they are not steered, so that their mean is the speed of the middle of the rear axle.
    case rear
    /// All four wheels.
    case all
}

/// How the speed is asked for by OBD-II (service 01, PID 0D).
package enum CANDiagnostics: String, Sendable, CaseIterable {
    /// Not at all: posed sends nothing.
    case off
    /// With identifiers of 11 bits: request 0x7DF, responses 0x7E8 to 0x7EF.
    case standard
    /// With identifiers of 29 bits: request 0x18DB33F1, responses 0x18DAF100 to 0x18DAF1FF.
    case extended
}

/// All settings of the vehicle bus.
package struct CANSettings: Equatable, Sendable {
    /// The network interface, such as `can0`; `nil`: no vehicle bus.
    package var interface: String?
    /// The speed of the vehicle.
    package var speed: CANSignal?
    /// The speed of the front left wheel.
    package var frontLeft: CANSignal?
    /// The speed of the front right wheel.
    package var frontRight: CANSignal?
    /// The speed of the rear left wheel.
    package var rearLeft: CANSignal?
    /// The speed of the rear right wheel.
    package var rearRight: CANSignal?
    /// The wheels whose mean is the speed.
    package var wheels = CANWheels.rear
    /// Whether the vehicle goes backwards.
    package var reverse: CANSignal?
    /// The value of ``reverse`` that means backwards; `nil`: every value but 0.
    package var reverseValue: Int?
    /// The angle of the steering wheel, shown in `status`.
    package var steeringAngle: CANSignal?
    /// The left turn signal, shown in `status`.
    package var turnLeft: CANSignal?
    /// The right turn signal, shown in `status`.
    package var turnRight: CANSignal?
    /// Whether and how the speed is asked for by OBD-II.
    package var diagnostics = CANDiagnostics.off
    /// Requests per second by OBD-II.
    package var diagnosticsRateHertz = 10.0

    /// The defaults.
    package init() {}

    /// The signals of the wheels whose mean is the speed, with the names of their keys.
    package var usedWheels: [(name: String, signal: CANSignal?)] {
        let rear = [("speed_rear_left", rearLeft), ("speed_rear_right", rearRight)]
        return wheels == .rear ? rear : [("speed_front_left", frontLeft), ("speed_front_right", frontRight)] + rear
    }

    /// What is wrong with the settings together, one sentence without the key; `nil` if nothing is.
    package var problem: String? {
        guard interface != nil else { return nil }
        let isWheel = [frontLeft, frontRight, rearLeft, rearRight].contains { $0 != nil }
        let origins = [speed != nil, isWheel, diagnostics != .off].count { $0 }
        guard origins > 0 else {
            return "is set without a speed; set can.speed, can.speed_rear_left and can.speed_rear_right, or can.obd"
        }
        guard origins == 1 else {
            return "has more than one speed; keep one of can.speed, the speeds of the wheels and can.obd"
        }
        guard isWheel else { return nil }
        let missing = usedWheels.filter { $0.signal == nil }.map { "can.\($0.name)" }
        guard !missing.isEmpty else { return nil }
        return "lacks \(missing.joined(separator: ", ")); set it, or choose can.wheels"
    }
}
