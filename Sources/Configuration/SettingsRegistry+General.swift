extension SettingsRegistry {
    /// Keys outside any section.
    package static let general = SettingsSection(
        name: "", summary: "What the device is and where its measurements come from.",
        keys: [
            .choice(
                SettingsKeyLabel(
                    "profile",
                    "What the sensors are mounted on; a vehicle moves along its own axis, and the filter makes use of "
                        + "that."
                ),
                \.engine.fusion.profile),
            .choice(
                SettingsKeyLabel(
                    "source",
                    "live waits for the receiver and the sensors, simulated drives the demo route, auto takes what is "
                        + "there."
                ),
                \.source),
            .number(
                SettingsKeyLabel(
                    "simulated_rate_hz",
                    "Samples a second of the simulated drive's motion sensor: try a display at the rate it will have."),
                \.simulatedRateHertz, unit: "Hz", SettingsRange(50...1000)),
            .optionalText(
                SettingsKeyLabel(
                    "route_file",
                    "The route to follow from the start: a router's response (OSRM, Valhalla), GPX or GeoJSON. null: "
                        + "a client loads one.",
                    .live),
                \.routeFile, .file),
            .choice(SettingsKeyLabel("log_level", "The least important level that is logged.", .live), \.logLevel),
        ])

    /// Keys of the sockets.
    package static let sockets = SettingsSection(
        name: "sockets",
        summary: "Where clients connect. Sockets that systemd hands over keep the path and permissions it gave them.",
        keys: [
            .text(
                SettingsKeyLabel(
                    "sockets.folder",
                    "The folder of the two sockets, `frames` (binary) and `stream` (JSON lines and commands)."),
                \.publishing.folder, .socketFolder),
            .permissions(
                SettingsKeyLabel("sockets.mode", "Who may connect: the permission bits of both sockets."),
                \.publishing.mode),
            .optionalText(
                SettingsKeyLabel(
                    "sockets.group", "The group that owns both sockets. null: the group the daemon runs as."),
                \.publishing.group,
                .groupName),
            .integer(
                SettingsKeyLabel(
                    "sockets.client_limit",
                    "Clients connected at once; one more is refused with the reason. One user other than root may have "
                        + "half of them.", .live),
                \.publishing.clientLimit, 1...1024),
            .integer(
                SettingsKeyLabel(
                    "sockets.held_mib",
                    "Memory in MiB for what waits for all clients together; beyond it the client that holds the most "
                        + "is disconnected.", .live),
                \.publishing.heldMebibytes, 4...1024),
            .number(
                SettingsKeyLabel(
                    "sockets.default_rate_hz", "Frames a second to a client that asks for no rate of its own.", .live),
                \.publishing.defaultRateHertz, unit: "Hz", SettingsRange(1...1000)),
            .number(
                SettingsKeyLabel(
                    "sockets.slow_client_s", "How long a client may read nothing before it is disconnected.", .live),
                \.publishing.slowClientSeconds, unit: "s", SettingsRange(0.1...3600)),
        ])

    /// Keys of the process itself.
    package static let process = SettingsSection(
        name: "process", summary: "How the daemon runs.",
        keys: [
            .optionalInteger(
                SettingsKeyLabel(
                    "process.real_time_priority",
                    "SCHED_FIFO priority of the engine thread, the sockets' has one less; needs CAP_SYS_NICE and "
                        + "RestrictRealtime=no. null: the ordinary scheduler."
                ),
                \.process.realTimePriority, 1...99),
            .boolean(
                SettingsKeyLabel(
                    "process.lock_memory", "Keeps the pages in use from being swapped out; needs LimitMEMLOCK=infinity."
                ),
                \.process.lockMemory),
        ])
}
