extension SettingsRegistry {
    /// Keys of the recorder.
    package static let recording = SettingsSection(
        name: "recording",
        summary:
            "Recordings of drives for posectl replay and other programs. A recording tells where the vehicle was.",
        keys: [
            .choice(
                SettingsKeyLabel(
                    "recording.mode",
                    "What is recorded without a command. moving and event: including what came before, which is kept "
                        + "on the disk all the time (history_mib).", .live), \.recording.mode),
            .optionalText(
                SettingsKeyLabel(
                    "recording.folder",
                    "The folder of the recordings. null: the folder recordings in the folder from systemd "
                        + "(StateDirectory=). The installed service may write only to /var/lib/posed: another folder "
                        + "needs a drop-in with ReadWritePaths=, and must belong to the user posed.", .live),
                \.recording.folder, .absoluteFile),
            .boolean(
                SettingsKeyLabel(
                    "recording.private",
                    "Whether positions are moved to a random place, and names, paths and log lines are left out, for "
                        + "bug reports.", .live), \.recording.isPrivate),
            .number(
                SettingsKeyLabel(
                    "recording.frame_rate_hz",
                    "Rate of the frames in the recording, for other programs; 0 for none. A replay gives every frame "
                        + "in any case.", .live), \.recording.frameRateHertz, unit: "Hz", SettingsRange(0...50)),
            .integer(
                SettingsKeyLabel(
                    "recording.file_mib",
                    "Maximum size of a file, at most a quarter of total_mib; the recording continues in the next one.",
                    .live),
                \.recording.fileMebibytes, 1...16_384),
            .integer(
                SettingsKeyLabel(
                    "recording.history_mib",
                    "moving and event: maximum size of what is kept since the daemon's start and is removed at its end "
                        + "unless something happens; a replay from the start gives the same frames. Beyond it, beyond "
                        + "half of total_mib, on a disk that is nearly full, and with 0, only the last minute is kept.",
                    .live), \.recording.historyMebibytes,
                0...16_777_216),
            .integer(
                SettingsKeyLabel(
                    "recording.total_mib", "Maximum size of all recordings together; the oldest are removed.", .live),
                \.recording.totalMebibytes, 1...16_777_216),
            .integer(
                SettingsKeyLabel("recording.keep_days", "Age after which a recording is removed.", .live),
                \.recording.keepDays, 1...36_500),
            .integer(
                SettingsKeyLabel(
                    "recording.reserve_mib",
                    "Free space that recordings leave on the disk; older recordings are removed for it.", .live),
                \.recording.reserveMebibytes, 0...16_777_216),
        ])
}
