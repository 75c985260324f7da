extension SettingsRegistry {
    /// Keys of what is kept from one drive to the next.
    package static let state = SettingsSection(
        name: "state", summary: "What is kept from one drive to the next, so that the next is aligned sooner.",
        keys: [
            .boolean(
                SettingsKeyLabel(
                    "state.keep_mount",
                    "Whether the mount that was found is kept; the next drive begins with it and checks it."),
                \.state.keepsMount),
            .optionalText(
                SettingsKeyLabel(
                    "state.folder",
                    "The folder of the state files. null: the one systemd gives (StateDirectory=); without one "
                        + "nothing is kept."
                ),
                \.state.folder, .absoluteFile),
        ])
}
