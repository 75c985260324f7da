extension Fault {
    /// Why no test runs a command for the fault, in one sentence; `nil` if one does.
    package var reason: String? { Self.reasons[self] }

    private static let reasons: [Fault: String] = [
        .daemonClients: "Only the program that reads its frames too slowly can change that.",
        .kernelIIO: "`make test-systemd` runs the command in its virtual machine.",
        .deviceNone: "No command connects a sensor.",
        .deviceNoGyro: "The sensor has no gyro.",
        .deviceNoAccelerometer: "The sensor has no accelerometer.",
        .deviceRemote: "The command starts a service of the other machine.",
        .deviceUnreached: "`make test-systemd` installs the same drop-in, for an IMU of another host.",
        .triggerNoBuffer: "The driver has no buffer.",
        .rangeScale: "Only the data sheet of the sensor tells its scale.",
        .rateDevice: "The sensor has no higher rate.",
        .clockUnset: "`make test-systemd` runs the command in its virtual machine.",
        .clockUnsynchronized: "`make test-systemd` runs the command in its virtual machine.",
        .clockStep: "`make test-systemd` runs the command in its virtual machine.",
        .gpsdUnreached: "`make test-systemd` installs the same drop-in, for an IMU of another host.",
        .gpsdProtocol: "Debian has no gpsd that is so old.",
        .gpsdMissingReceiver: "No command connects a receiver.",
        .fixSilent: "No command mends a cable or gives power.",
        .fixSpeed: "Only the manual of the receiver tells how to set its speed.",
        .fixNone: "The receiver needs time.",
        .fixIndoors: "The antenna needs a free view of the sky.",
        .fixDate: "Only the maker of the receiver can correct its count of weeks.",
        .fixVelocity: "Only the manual of the receiver tells how it sends its velocity.",
        .filterUnaligned: "The alignment needs a drive.",
        .filterReceiver: "No command gives the receiver a better place or signal.",
        .filterLate: "No command makes the connection to the receiver faster.",
        .filterSaturated: "Only the next hard motion shows whether the wider range is enough.",
        .filterStuck: "No command mends a cable or a sensor.",
        .filterMagnetometer: "No test has a magnetometer that iron disturbs.",
        .filterLost: "Only the other programs of the machine can use less of it.",
    ]
}
