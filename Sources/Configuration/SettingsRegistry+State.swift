extension SettingsRegistry {
    /// Keys of the saved state.
    package static let state = SettingsSection(
        name: "state",
        summary:
            "What is saved from one drive to the next, to align sooner.",
        keys: [
            .boolean(
                SettingsKeyLabel(
                    "state.keep_mount",
                    "Whether the estimated mount is saved. The next drive uses it as a prior and checks it."),
                \.state.keepsMount),
            .optionalText(
                SettingsKeyLabel(
                    "state.folder",
                    "The folder of the state files. null: the folder from systemd (StateDirectory=); without "
                        + "it nothing is saved."
                ),
                \.state.folder, .absoluteFile),
        ])
}
