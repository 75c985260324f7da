import SensorInterface

extension Check {
    /// gpsd and its receivers.
    static let gpsd = Check(area: .gpsd, needs: [.settings]) { facts in
        if facts.loaded.source == .simulated { return .notChecked("not checked: the source is simulated") }
        guard facts.loaded.isGPSEnabled else { return .notChecked("not checked: gps.enabled is false") }
        guard let gpsd = facts.gpsd else { return .notChecked("not checked: the probe of gpsd did not end in time") }
        if let finding = connection(gpsd, facts) { return .found([finding]) }
        if gpsd.protocolMajor != 3 {
            return .found([
                Finding(
                    .gpsdProtocol, "gpsd \(gpsd.release) speaks protocol \(gpsd.protocolMajor), and posed 3",
                    .run("sudo apt-get install --only-upgrade gpsd"))
            ])
        }
        let found = receivers(gpsd, facts) + [unreached(gpsd, facts)]
        return .of(found, otherwise: "gpsd \(gpsd.release) at \(gpsd.host) port \(gpsd.port)")
    }

    /// A gpsd of another machine that reports to the doctor, and whose reports posed does not get.
    private static func unreached(_ gpsd: GpsdState, _ facts: DoctorFacts) -> Finding? {
        guard gpsd.reports.count > 0, facts.isKept(from: gpsd.host, kind: "gps") else { return nil }
        return Finding(
            .gpsdUnreached,
            "gpsd at \(gpsd.host) has reports, and posed gets none: its unit keeps it from other machines",
            .run(DoctorFacts.openNetwork))
    }

    private static func connection(_ gpsd: GpsdState, _ facts: DoctorFacts) -> Finding? {
        let place = "\(gpsd.host) port \(gpsd.port)"
        let restart = gpsd.restart(facts, otherwise: start(gpsd, facts))
        switch gpsd.connection {
        case .greeted: return nil
        case .unreachable(let reason):
            return Finding(
                .gpsdHost, "no connection to \(gpsd.host) (\(key("host", facts))): \(reason)",
                gpsd.isLocal ? .run(restart) : SettingsEdit(facts).remedy(ofReceiver: "gps.host", "localhost"))
        case .refused:
            if gpsd.isLocal, !gpsd.isInstalled {
                return Finding(.gpsdMissing, "gpsd is not installed", .run("sudo apt-get install gpsd"))
            }
            if gpsd.isOnDefaultPort {
                return Finding(
                    .gpsdStopped, "nothing listens at \(place) (\(key("port", facts))), and gpsd has port 2947",
                    SettingsEdit(facts).remedy(ofReceiver: "gps.port", "2947"))
            }
            return Finding(
                .gpsdStopped, "gpsd does not run: nothing listens at \(place)",
                .run(
                    gpsd.isLocal ? start(gpsd, facts) : "ssh \(Shell.word(gpsd.host)) sudo systemctl start gpsd.socket")
            )
        case .foreign(let kind, let line):
            let text = "\(place) is \(kind), not gpsd: it sent `\(line)`"
            guard gpsd.port != 2947 else {
                return Finding(.gpsdForeign, text, .look("sudo ss -ltnp 'sport = :2947'"))
            }
            return Finding(.gpsdForeign, text, SettingsEdit(facts).remedy(ofReceiver: "gps.port", "2947"))
        case .silent:
            return Finding(
                .gpsdSilent, "gpsd at \(place) accepts the connection and says nothing: it hangs",
                gpsd.isLocal ? .run(restart) : .run("ssh \(Shell.word(gpsd.host)) sudo systemctl restart gpsd"))
        }
    }

    private static func start(_ gpsd: GpsdState, _ facts: DoctorFacts) -> String {
        if facts.hasSystemd { return "sudo systemctl start gpsd.socket" }
        let device = gpsd.wanted ?? gpsd.candidates.first
        return "sudo gpsd -S \(gpsd.port)" + (device.map { " \(Shell.word($0))" } ?? "")
    }

    /// The key of the settings that has a property of the receiver.
    private static func key(_ name: String, _ facts: DoctorFacts) -> String {
        facts.loaded.gps.receivers.isEmpty ? "gps.\(name)" : "gps.receivers"
    }

    private static func receivers(_ gpsd: GpsdState, _ facts: DoctorFacts) -> [Finding?] {
        let missing = missingReceiver(gpsd, facts)
        guard missing?.fault.isFailure != true else { return [missing] }
        return [missing, usedReceiver(gpsd, facts)]
    }

    private static func missingReceiver(_ gpsd: GpsdState, _ facts: DoctorFacts) -> Finding? {
        let receivers = gpsd.receivers ?? []
        let names = receivers.map(\.path).joined(separator: ", ")
        guard let first = receivers.first else {
            return withoutReceivers(gpsd, facts)
        }
        let remedy = SettingsEdit(facts).remedy(ofReceiver: "gps.device", first.path)
        guard facts.loaded.gps.receivers.isEmpty else { return missingOfList(gpsd, names, facts, remedy) }
        guard let wanted = gpsd.wanted, !receivers.contains(where: { $0.path == wanted }) else { return nil }
        return Finding(.gpsdOtherReceiver, "gps.device is \(wanted), and gpsd has \(names)", remedy)
    }

    private static func withoutReceivers(_ gpsd: GpsdState, _ facts: DoctorFacts) -> Finding {
        if gpsd.isLocal, let add = gpsd.wanted ?? gpsd.candidates.first {
            return Finding(
                .gpsdNoReceiver, "gpsd has no receiver: name it to gpsd, for good in /etc/default/gpsd",
                .run(name(add, facts)))
        }
        guard gpsd.isLocal, !gpsd.boardPorts.isEmpty else {
            return Finding(
                .gpsdNoReceiver, "gpsd has no receiver, and no serial device is there: connect one", .look("lsusb"))
        }
        // Which of them has a receiver cannot be seen: gpsd would take the port of a console or of Bluetooth.
        let ports = gpsd.boardPorts.joined(separator: ", ")
        let restart = facts.hasSystemd ? " && sudo systemctl restart gpsd" : ""
        return Finding(
            .gpsdNoReceiver, "gpsd has no receiver: name its port in /etc/default/gpsd, if it is one of \(ports)",
            .look("sudoedit /etc/default/gpsd\(restart)"))
    }

    /// The receivers of the list that this gpsd does not have. It is a failure where it has none of the list: else
    /// another place of the list may have the receiver that is used.
    private static func missingOfList(
        _ gpsd: GpsdState, _ names: String, _ facts: DoctorFacts, _ remedy: Remedy
    ) -> Finding? {
        let places = facts.loaded.gps.perReceiver.filter { $0.host == gpsd.host && $0.port == gpsd.port }
        let devices = places.compactMap(\.device)
        let missing = devices.filter { device in gpsd.receivers?.contains { $0.path == device } != true }
        guard !missing.isEmpty else { return nil }
        let isNoneThere = missing.count == facts.loaded.gps.receivers.count
        return Finding(
            isNoneThere ? .gpsdOtherReceiver : .gpsdMissingReceiver,
            "gps.receivers names \(missing.joined(separator: ", ")), and gpsd has \(names)", remedy)
    }

    private static func usedReceiver(_ gpsd: GpsdState, _ facts: DoctorFacts) -> Finding? {
        guard let used = gpsd.used, used.isLocal else { return nil }
        guard let file = used.file else {
            return Finding(
                .gpsdReceiverGone, "\(used.path) of gpsd does not exist: the receiver is unplugged",
                .run("sudo gpsdctl remove \(Shell.word(used.path))"))
        }
        // gpsd opens devices as its own user, which is a member of the group of serial devices.
        guard !used.isActive, file.mode & 0o006 != 0o006, file.mode & 0o060 != 0o060 else { return nil }
        return Finding(
            .gpsdReceiverAccess,
            "\(used.path): gpsd may not open it (mode 0\(String(file.mode, radix: 8)), "
                + "group \(facts.group(file.group)))",
            .run("sudo chgrp dialout \(Shell.word(used.path)) && sudo chmod g+rw \(Shell.word(used.path))"))
    }

    private static func name(_ device: String, _ facts: DoctorFacts) -> String {
        "sudo gpsdctl add \(Shell.word(device))"
    }

    /// The receiver's fix.
    static let fix = Check(area: .fix, needs: [.gpsd]) { facts in
        guard let gpsd = facts.gpsd else { return .notChecked("not checked: the probe of gpsd did not end in time") }
        let (reports, name) = (gpsd.reports, gpsd.used?.path ?? "the receiver")
        guard reports.count > 0 else { return .found([silence(gpsd, name, facts)]) }
        if let utc = reports.utcSeconds, utc < earliestSeconds {
            return .found([
                Finding(
                    .fixDate, "\(name): its date is \(year(utc)): its week counter rolled over, or it was never set",
                    .look("gpsctl \(Shell.word(gpsd.used?.path ?? ""))"))
            ])
        }
        guard reports.mode >= 2 else {
            let visible = reports.visible ?? 0
            let few = reports.visible != nil && visible < 4
            return .found([
                few
                    ? Finding(
                        .fixIndoors, "\(name) sees \(visible) satellites, and a fix needs 4: give the antenna free sky",
                        facts.lookAtReceiver("cgps -s"))
                    : Finding(
                        .fixNone,
                        "\(name) has no fix yet\(reports.visible.map { ", with \($0) satellites in view" } ?? "")"
                            + ": a cold start takes a minute", facts.lookAtReceiver("cgps -s"))
            ])
        }
        let velocity =
            reports.hasVelocity
            ? nil
            : Finding(
                .fixVelocity, "\(name) states no velocity: let it send speed and course (RMC or VTG)",
                facts.lookAtReceiver("gpspipe -r -n 20"))
        let satellites = reports.used.map { ", \($0) satellites used" } ?? ""
        return .of([velocity], otherwise: "\(name) has a \(reports.mode >= 3 ? "3D" : "2D") fix\(satellites)")
    }

    private static func silence(_ gpsd: GpsdState, _ name: String, _ facts: DoctorFacts) -> Finding {
        guard let used = gpsd.used, used.driver.isEmpty, Set(used.speeds).count > 1 else {
            return Finding(
                .fixSilent, "\(name) sends nothing: check its cable and power",
                facts.lookAtReceiver("gpspipe -r -n 5 -x 10"))
        }
        return Finding(
            .fixSpeed,
            "\(name): gpsd tries speeds (now \(used.speeds.last ?? 0) bit/s) and recognizes nothing: set the receiver "
                + "to one of them", facts.lookAtReceiver("gpspipe -R -x 5 | od -c | head -n 20"))
    }
}

extension DoctorFacts {
    /// A command of gpsd's clients, which Debian has in a package of their own.
    func lookAtReceiver(_ command: String) -> Remedy {
        let isInstalled = gpsd?.hasClients ?? true
        return .look(isInstalled ? command : "sudo apt-get install gpsd-clients; \(command)")
    }
}

extension GpsdState {
    /// The receiver that posed uses: that of the settings, of a list the first that gpsd has, or the first.
    var used: Receiver? {
        let names = [wanted].compactMap { $0 } + listed
        let meant = names.compactMap { name in receivers?.first { $0.path == name } }
        return meant.first ?? receivers?.first
    }
}

extension GPSSettings {
    /// The devices that a list of receivers names at the gpsd of one of them; empty without a list.
    func devicesListed(atGpsdOf place: GPSSettings) -> [String] {
        guard !receivers.isEmpty else { return [] }
        return perReceiver.filter { $0.host == place.host && $0.port == place.port }.compactMap(\.device)
    }
}
