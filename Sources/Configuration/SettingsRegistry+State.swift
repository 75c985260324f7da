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
                    "Whether the mount, what was learned of the sensors and the place of the last stop are saved. The "
                        + "next drive uses them as a prior and checks them."),
                \.state.keepsMount),
            .optionalText(
                SettingsKeyLabel(
                    "state.folder",
                    "The folder of the state files. null: the folder from systemd (StateDirectory=); without "
                        + "it nothing is saved. The installed service may write only to /var/lib/posed: another "
                        + "folder needs a drop-in with ReadWritePaths=, and must belong to the user posed."
                ),
                \.state.folder, .absoluteFile),
        ])
}
