import SensorInterface

extension SettingsRegistry {
    /// Keys of the vehicle bus.
    package static let vehicleBus = SettingsSection(
        name: "can",
        summary:
            "The vehicle bus (SocketCAN): wheel speeds of its frames, or by OBD-II. Guide: docs/can.md.",
        keys: [
            .optionalText(
                SettingsKeyLabel(
                    "can.interface",
                    "The CAN interface, such as can0. null: no vehicle bus."), \.can.interface, .interface),
            .signal(
                SettingsKeyLabel("can.speed", "The signal of the speed of the vehicle, with its frame."),
                \.can.speed, .speed),
        ] + wheels + [
            .choice(
                SettingsKeyLabel("can.wheels", "The wheels whose mean is the speed; the rear ones are not steered."),
                \.can.wheels),
            .signal(
                SettingsKeyLabel(
                    "can.reverse",
                    "The signal of the direction: a speed without a sign is negative for 3 s after it says backwards."),
                \.can.reverse, .number),
            .optionalInteger(
                SettingsKeyLabel(
                    "can.reverse_value",
                    "The value of can.reverse that means backwards. null: every value but 0."),
                \.can.reverseValue, -1_000_000...1_000_000),
            .signal(
                SettingsKeyLabel(
                    "can.steering_angle", "The signal of the angle of the steering wheel; shown in status."),
                \.can.steeringAngle, .number),
            .signal(
                SettingsKeyLabel("can.turn_left", "The signal of the left turn signal; shown in status."),
                \.can.turnLeft, .number),
            .signal(
                SettingsKeyLabel("can.turn_right", "The signal of the right turn signal; shown in status."),
                \.can.turnRight, .number),
            .choice(
                SettingsKeyLabel(
                    "can.obd",
                    "Whether the speed is asked for by OBD-II (PID 0D), with identifiers of 11 bits (standard) or of "
                        + "29 bits (extended)."), \.can.diagnostics),
            .number(
                SettingsKeyLabel("can.obd_rate_hz", "Requests per second by OBD-II."), \.can.diagnosticsRateHertz,
                unit: "Hz", SettingsRange(0.5...50)),
        ])

    private static let wheels: [SettingsKey] = [
        wheel("front_left", \.can.frontLeft), wheel("front_right", \.can.frontRight),
        wheel("rear_left", \.can.rearLeft), wheel("rear_right", \.can.rearRight),
    ]

    private static func wheel(_ name: String, _ place: SettingsPlace<CANSignal?>) -> SettingsKey {
        let words = name.split(separator: "_").joined(separator: " ")
        return .signal(
            SettingsKeyLabel("can.speed_\(name)", "The signal of the speed of the \(words) wheel, with its frame."),
            place, .speed)
    }

    /// The check of the keys of the vehicle bus together.
    static let vehicleBusCheck = SettingsCheck(
        path: "can.interface",
        keys: ["can.interface", "can.speed", "can.wheels", "can.obd"] + wheels.map(\.path)
    ) { $0.can.problem }
}

extension SettingsTextLimits {
    /// The name of a network interface.
    static let interface = SettingsTextLimits(inWords: "the name of a network interface, at most 15 bytes") { name in
        (1...15).contains(name.utf8.count)
            && name.utf8.allSatisfy { $0 > 0x20 && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ":") && $0 < 0x7F }
            && name != "." && name != ".."
    }
}

/// What the number of a signal is.
enum SettingsSignalKind: Sendable {
    /// A speed, with its unit.
    case speed
    /// Any number.
    case number
}

extension SettingsKey {
    /// A key with a signal of the vehicle bus, or `null`.
    static func signal(
        _ label: SettingsKeyLabel, _ place: SettingsPlace<CANSignal?>, _ kind: SettingsSignalKind
    ) -> SettingsKey {
        let allowed = "the frame and the signal as in a DBC file, such as `\(CANSignal.example)`"
        return make(label, place, ("signal or null", nil, allowed), .optional(.signal(kind)))
    }
}

extension SettingsCoder where Value == CANSignal {
    /// Reads a signal; throws with an explanation if it is wrong, or if a speed has no unit of one.
    static func signal(_ kind: SettingsSignalKind) -> SettingsCoder<CANSignal> {
        SettingsCoder(
            decode: { (node) throws(SettingsComplaint) in
                let scalar = try node.scalar("a signal")
                let signal: CANSignal
                do throws(CANSignalProblem) {
                    signal = try CANSignal(scalar.text)
                } catch {
                    throw SettingsComplaint("\(error)", at: scalar.position)
                }
                guard kind == .number || signal.metersPerSecondPerUnit != nil else {
                    let unit = signal.unit.map { "has the unit \"\($0.prefix(20))\"" } ?? "has no unit"
                    throw SettingsComplaint(
                        "\(unit); a speed is in \"km/h\", \"m/s\", \"mph\" or \"cm/s\"", at: scalar.position)
                }
                return signal
            },
            encode: { SettingsWriter.quotedWhereNeeded($0.text) })
    }
}
