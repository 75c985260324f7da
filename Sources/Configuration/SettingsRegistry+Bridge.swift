extension SettingsRegistry {
    /// Keys of posed-bridge.
    package static let bridge = SettingsSection(
        name: "bridge",
        summary:
            "posed-bridge, which connects this board with a fleet by MQTT and gives metrics. It reads this section "
            + "when it starts: `systemctl restart posed-bridge`.",
        keys: brokerKeys + messageKeys + storeKeys + metricKeys)

    private static let brokerKeys: [SettingsKey] = [
        .optionalText(
            SettingsKeyLabel("bridge.broker", "Host name or address of the MQTT 5 broker. null: none."),
            \.bridge.broker, .host),
        .optionalInteger(
            SettingsKeyLabel("bridge.port", "Port of the broker. null: 8883 with TLS, otherwise 1883."),
            \.bridge.port, 1...65535),
        .boolean(
            SettingsKeyLabel("bridge.tls", "Whether the connection is encrypted and the broker's certificate checked."),
            \.bridge.usesTLS),
        .optionalText(
            SettingsKeyLabel(
                "bridge.ca_file", "File of the authorities that are trusted (PEM). null: those of the system."),
            \.bridge.authorityFile, .absoluteFile),
        .optionalText(
            SettingsKeyLabel("bridge.certificate_file", "File of this board's certificate (PEM). null: none."),
            \.bridge.certificateFile, .secret),
        .optionalText(
            SettingsKeyLabel("bridge.key_file", "File of the certificate's private key (PEM). null: none."),
            \.bridge.keyFile, .secret),
        .optionalText(
            SettingsKeyLabel(
                "bridge.login_file",
                "File with the user in its first line and the password in its second. null: none."),
            \.bridge.loginFile, .secret),
        .optionalText(
            SettingsKeyLabel(
                "bridge.id",
                "Name of this board in the topics and at the broker. null: twelve digits that follow from the id of "
                    + "the machine (/etc/machine-id) and do not tell it."), \.bridge.id, .topicWord),
        .text(
            SettingsKeyLabel("bridge.topic", "First part of every topic: TOPIC/ID/pose and so on."),
            \.bridge.topic, .topicPath),
        .integer(
            SettingsKeyLabel("bridge.keep_alive_s", "Interval after which a silent connection is taken as lost."),
            \.bridge.keepAliveSeconds, unit: "s", 5...1200),
        .integer(
            SettingsKeyLabel(
                "bridge.session_s", "How long the broker keeps commands for a board that is not connected."),
            \.bridge.sessionSeconds, unit: "s", 0...2_592_000),
    ]

    private static let messageKeys: [SettingsKey] = [
        .number(
            SettingsKeyLabel("bridge.rate_hz", "Regular rate of the pose. 0: only on a change."),
            \.bridge.rateHertz, unit: "Hz", SettingsRange(0...10)),
        .optionalNumber(
            SettingsKeyLabel("bridge.change_m", "Movement after which a pose is sent at once. null: not."),
            \.bridge.changeMeters, unit: "m", SettingsRange(0.1...10_000)),
        .optionalNumber(
            SettingsKeyLabel("bridge.change_deg", "Turn after which a pose is sent at once. null: not."),
            \.bridge.changeDegrees, unit: "deg", SettingsRange(0.1...180)),
        .number(
            SettingsKeyLabel("bridge.status_s", "Interval of the status."), \.bridge.statusSeconds, unit: "s",
            SettingsRange(1...3600)),
        .boolean(
            SettingsKeyLabel(
                "bridge.guidance", "Whether guidance, speed and maneuvers are sent while there is a route."),
            \.bridge.sendsGuidance),
        .boolean(SettingsKeyLabel("bridge.events", "Whether events are sent."), \.bridge.sendsEvents),
        .bridgeCommands(
            SettingsKeyLabel("bridge.commands", "The commands that the fleet may send. null: none."),
            \.bridge.commands),
        .optionalText(
            SettingsKeyLabel(
                "bridge.home_assistant",
                "First part of Home Assistant's discovery topics, usually homeassistant. null: no discovery."),
            \.bridge.homeAssistant, .topicPath),
        .boolean(
            SettingsKeyLabel(
                "bridge.owntracks",
                "Whether the position is sent to owntracks/TOPIC/ID too, in OwnTracks' form; each / of TOPIC is a - "
                    + "there."),
            \.bridge.sendsOwnTracks),
    ]

    private static let storeKeys: [SettingsKey] = [
        .integer(
            SettingsKeyLabel(
                "bridge.store_mib",
                "Maximum size of the messages that wait on the disk. Beyond it every second pose, guidance and status "
                    + "is left out, the oldest first."), \.bridge.storeMebibytes, unit: nil, 2...65_536),
        .optionalText(
            SettingsKeyLabel(
                "bridge.store_folder",
                "Folder of the messages that wait. null: the folder messages in the folder from systemd "
                    + "(StateDirectory=)."), \.bridge.storeFolder, .absoluteFile),
    ]

    private static let metricKeys: [SettingsKey] = [
        .optionalInteger(
            SettingsKeyLabel(
                "bridge.metrics_port",
                "Port of 127.0.0.1 with metrics for Prometheus; every user of this machine can read it. null: none."),
            \.bridge.metricsPort, 1...65535),
        .optionalText(
            SettingsKeyLabel(
                "bridge.metrics_socket",
                "Path of a Unix socket with the same, such as /run/posed-bridge/metrics. null: "
                    + "none."), \.bridge.metricsSocket, .socketFile),
        .optionalText(
            SettingsKeyLabel(
                "bridge.metrics_file",
                "File with the same for node_exporter's textfile collector, written every 15 s; its name must end in "
                    + ".prom. null: none."), \.bridge.metricsFile, .metricsFile),
    ]

    /// Checks of more than one key of posed-bridge.
    static let bridgeChecks: [SettingsCheck] = [
        SettingsCheck(path: "bridge.key_file", keys: ["bridge.key_file", "bridge.certificate_file"]) { settings in
            let bridge = settings.bridge
            guard (bridge.keyFile == nil) != (bridge.certificateFile == nil) else { return nil }
            return "a certificate and its key belong together; set bridge.certificate_file and bridge.key_file, or none"
        },
        SettingsCheck(path: "bridge.tls", keys: ["bridge.tls", "bridge.certificate_file", "bridge.ca_file"]) {
            settings in
            let bridge = settings.bridge
            guard !bridge.usesTLS, bridge.certificateFile != nil || bridge.authorityFile != nil else { return nil }
            return
                "is false, and certificates are set; write true, or take bridge.certificate_file, bridge.key_file and "
                + "bridge.ca_file off"
        },
        SettingsCheck(
            path: "bridge.rate_hz", keys: ["bridge.rate_hz", "bridge.change_m", "bridge.change_deg"]
        ) { settings in
            let bridge = settings.bridge
            guard bridge.rateHertz == 0, bridge.changeMeters == nil, bridge.changeDegrees == nil else { return nil }
            return
                "is 0, and no change is set, so that no pose would be sent; set bridge.change_m, bridge.change_deg or "
                + "a rate"
        },
    ]
}

extension SettingsTextLimits {
    /// The path of a secret, or its name where the service manager passes it.
    static let secret = SettingsTextLimits(
        inWords: "an absolute path, or the name of a credential from systemd (LoadCredential=)"
    ) { text in
        absoluteFile.accepts(text) || isWord(text)
    }
    /// One level of a topic.
    static let topicWord = SettingsTextLimits(
        inWords: "1 to 64 letters, digits, `_`, `-` and `.`", mayBeNumber: true
    ) { isWord($0) }
    /// Levels of a topic.
    static let topicPath = SettingsTextLimits(
        inWords: "1 to 64 letters, digits, `_`, `-` and `.`, and `/` between them"
    ) { text in
        text.utf8.count <= 64 && text.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { isWord($0) }
    }
    /// A path that fits into the address of a Unix socket.
    static let socketFile = SettingsTextLimits(inWords: "an absolute path of at most 107 bytes") {
        absoluteFile.accepts($0) && $0.utf8.count <= 107
    }
    /// A file that the textfile collector reads.
    static let metricsFile = SettingsTextLimits(inWords: "an absolute path that ends in .prom") {
        absoluteFile.accepts($0) && $0.hasSuffix(".prom") && !$0.hasSuffix("/.prom")
    }

    private static func isWord(_ text: some StringProtocol) -> Bool {
        (1...64).contains(text.utf8.count) && text != "." && text != ".."
            && text.utf8.allSatisfy { byte in
                UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
                    || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || Array("_-.".utf8).contains(byte)
            }
    }
}

extension SettingsKey {
    /// A key with a list of commands, or `null`.
    static func bridgeCommands(_ label: SettingsKeyLabel, _ place: SettingsPlace<[BridgeCommand]>) -> SettingsKey {
        let words = BridgeCommand.allCases.map(\.rawValue).joined(separator: ", ")
        return make(label, place, ("list or null", nil, "a list of \(words), such as `[route_to, target]`"), .commands)
    }
}

extension SettingsCoder where Value == [BridgeCommand] {
    /// Reads the list; throws with an explanation if a word is no command, or is there twice.
    static let commands = SettingsCoder<[BridgeCommand]>(
        decode: { (node) throws(SettingsComplaint) in
            if node.isNull { return [] }
            guard case .list(let items, _) = node else { throw "is \(node.kindInWords), not a list" }
            var commands: [BridgeCommand] = []
            for item in items {
                let text = try item.scalar("a command").text
                guard let command = BridgeCommand(rawValue: text) else {
                    let guess = Spelling.nearest(to: text, in: BridgeCommand.allCases.map(\.rawValue))
                    throw SettingsComplaint(
                        "`\(text.prefix(60))` is no command that a fleet may send"
                            + (guess.map { " (did you mean \($0)?)" } ?? ""), at: item.position)
                }
                guard !commands.contains(command) else {
                    throw SettingsComplaint("`\(text)` is there twice", at: item.position)
                }
                commands.append(command)
            }
            return commands
        },
        encode: { $0.isEmpty ? "null" : "[" + $0.map(\.rawValue).joined(separator: ", ") + "]" })
}
