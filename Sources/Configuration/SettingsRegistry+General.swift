extension SettingsRegistry {
    /// The key that names other files.
    static let includeKey = "include"

    /// Keys outside of sections.
    package static let general = SettingsSection(
        name: "",
        summary:
            "What the sensors are mounted on, and the source of the measurements.",
        keys: [
            .paths(
                SettingsKeyLabel(
                    includeKey,
                    "Files of settings that are read before this one, whose keys override theirs: the settings of a "
                        + "fleet, and in this file those of one board. A path without / in front begins at this file. "
                        + "null: none.", .live), \.includes),
            .choice(
                SettingsKeyLabel(
                    "profile",
                    "What the sensors are mounted on. A vehicle moves along its own axis, and the filter uses "
                        + "this constraint. A wearable walks, a boat drifts sideways and rolls in waves; neither "
                        + "points where it goes. Without an IMU, the course of a wearable above 2 m/s is its heading, "
                        + "known to 30 degrees."
                ),
                \.engine.fusion.profile),
            .choice(
                SettingsKeyLabel(
                    "source",
                    "live waits for the receiver and the sensors; simulated runs the demo drive; auto uses "
                        + "the sensors it finds, otherwise the demo drive."
                ),
                \.source),
            .number(
                SettingsKeyLabel(
                    "simulated_rate_hz",
                    "Sample rate of the simulated IMU; set it to the rate of the real IMU to test a display."),
                \.simulatedRateHertz, unit: "Hz", SettingsRange(50...1000)),
            .optionalText(
                SettingsKeyLabel(
                    "route_file",
                    "The route to follow from the start: a router's response (OSRM, Valhalla), GPX or "
                        + "GeoJSON. null: no route until a client loads one.",
                    .live),
                \.routeFile, .file),
            .choice(
                SettingsKeyLabel(
                    "log_level",
                    "Minimum level of logged messages.", .live), \.logLevel),
        ])

    /// Keys of the sockets.
    package static let sockets = SettingsSection(
        name: "sockets",
        summary:
            "The sockets for clients. Sockets passed by systemd keep their path and permissions.",
        keys: [
            .text(
                SettingsKeyLabel(
                    "sockets.folder",
                    "The folder of the two sockets, `frames` (binary) and `stream` (JSON lines and commands)."),
                \.publishing.folder, .socketFolder),
            .permissions(
                SettingsKeyLabel(
                    "sockets.mode",
                    "Permission bits of both sockets, which decide who may connect."),
                \.publishing.mode),
            .optionalText(
                SettingsKeyLabel(
                    "sockets.group",
                    "The group that owns both sockets. null: the group of the daemon."),
                \.publishing.group,
                .groupName),
            .integer(
                SettingsKeyLabel(
                    "sockets.client_limit",
                    "Maximum number of connected clients; a further one is refused with the reason. One user "
                        + "other than root and the daemon's own may use half of them.", .live),
                \.publishing.clientLimit, 1...1024),
            .integer(
                SettingsKeyLabel(
                    "sockets.held_mib",
                    "Maximum memory in MiB for the queued output of all clients; beyond it the client that "
                        + "holds the most is disconnected.", .live),
                \.publishing.heldMebibytes, 4...1024),
            .number(
                SettingsKeyLabel(
                    "sockets.default_rate_hz",
                    "Frame rate of a client of the socket stream that does not ask for a rate; with 10 Hz it receives "
                        + "at most 64 kB/s.", .live),
                \.publishing.defaultRateHertz, unit: "Hz", SettingsRange(1...1000)),
            .number(
                SettingsKeyLabel(
                    "sockets.slow_client_s",
                    "Time after which a client that reads nothing is disconnected.", .live),
                \.publishing.slowClientSeconds, unit: "s", SettingsRange(0.1...3600)),
        ])

    /// Keys of the process.
    package static let process = SettingsSection(
        name: "process",
        summary:
            "The process of the daemon.",
        keys: [
            .optionalInteger(
                SettingsKeyLabel(
                    "process.real_time_priority",
                    "SCHED_FIFO priority of the engine thread; the socket thread has one less. It needs the unit's "
                        + "drop-in real-time.conf, which allows up to 80. null: the normal scheduler."
                ),
                \.process.realTimePriority, 1...99),
            .boolean(
                SettingsKeyLabel(
                    "process.lock_memory",
                    "Whether the pages in use are locked in memory; needs the unit's drop-in real-time.conf."
                ),
                \.process.lockMemory),
        ])
}
