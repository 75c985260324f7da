/// The scenarios that come with the program.
package enum ScenarioLibrary {
    /// Their texts by name, in the order in which they are listed.
    private static var texts: [(name: String, text: [UInt8])] {
        [
            ("demo", PackageResources.demo_yaml), ("open-sky", PackageResources.open_sky_yaml),
            ("tunnel", PackageResources.tunnel_yaml), ("canyon", PackageResources.canyon_yaml),
            ("jamming", PackageResources.jamming_yaml), ("late-receiver", PackageResources.late_receiver_yaml),
            ("slow-receiver", PackageResources.slow_receiver_yaml), ("antenna-arm", PackageResources.antenna_arm_yaml),
            ("noisy-gyro", PackageResources.noisy_gyro_yaml), ("gyro-stuck", PackageResources.gyro_stuck_yaml),
            ("stop-and-go", PackageResources.stop_and_go_yaml), ("survey", PackageResources.survey_yaml),
        ]
    }

    /// Names of the scenarios.
    package static var names: [String] { texts.map(\.name) }

    /// The text of a scenario; `nil` if there is none of that name.
    package static func text(_ name: String) -> [UInt8]? { texts.first { $0.name == name }?.text }

    /// A scenario; `nil` if there is none of that name.
    package static func scenario(_ name: String) throws(ScenarioReader.Failure) -> Scenario? {
        guard let text = text(name) else { return nil }
        return try ScenarioReader.read(bytes: text, path: "\(name).yaml")
    }
}
