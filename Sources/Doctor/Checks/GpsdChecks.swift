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
        return .of([receiver(gpsd, facts)], otherwise: "gpsd \(gpsd.release) at \(gpsd.host) port \(gpsd.port)")
    }

    private static func connection(_ gpsd: GpsdState, _ facts: DoctorFacts) -> Finding? {
        let place = "\(gpsd.host) port \(gpsd.port)"
        let restart = gpsd.restart(facts, otherwise: start(gpsd, facts))
        switch gpsd.connection {
        case .greeted: return nil
        case .unreachable(let reason):
            return Finding(
                .gpsdHost, "no connection to \(gpsd.host) (gps.host): \(reason)",
                gpsd.isLocal ? .run(restart) : .run(SettingsEdit(facts).command("gps.host", "localhost")))
        case .refused:
            if gpsd.isLocal, !gpsd.isInstalled {
                return Finding(.gpsdMissing, "gpsd is not installed", .run("sudo apt-get install gpsd"))
            }
            if gpsd.isOnDefaultPort {
                return Finding(
                    .gpsdStopped, "nothing listens at \(place) (gps.port), and gpsd has port 2947",
                    .run(SettingsEdit(facts).command("gps.port", "2947")))
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
            return Finding(.gpsdForeign, text, .run(SettingsEdit(facts).command("gps.port", "2947")))
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

    private static func receiver(_ gpsd: GpsdState, _ facts: DoctorFacts) -> Finding? {
        let receivers = gpsd.receivers ?? []
        let names = receivers.map(\.path).joined(separator: ", ")
        guard let first = receivers.first else {
            let add = gpsd.wanted ?? gpsd.candidates.first
            guard let add, gpsd.isLocal else {
                return Finding(
                    .gpsdNoReceiver, "gpsd has no receiver, and no serial device is there: connect one", .look("lsusb"))
            }
            return Finding(.gpsdNoReceiver, "gpsd has no receiver: name it to gpsd", .run(name(add, facts)))
        }
        if let wanted = gpsd.wanted, !receivers.contains(where: { $0.path == wanted }) {
            return Finding(
                .gpsdOtherReceiver, "gps.device is \(wanted), and gpsd has \(names)",
                .run(SettingsEdit(facts).command("gps.device", first.path)))
        }
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
        guard reports.count > 0 else { return .found([silence(gpsd, name)]) }
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
                        .look("cgps -s"))
                    : Finding(
                        .fixNone,
                        "\(name) has no fix yet\(reports.visible.map { ", with \($0) satellites in view" } ?? "")"
                            + ": a cold start takes a minute", .look("cgps -s"))
            ])
        }
        let velocity =
            reports.hasVelocity
            ? nil
            : Finding(
                .fixVelocity, "\(name) states no velocity: let it send speed and course (RMC or VTG)",
                .look("gpspipe -r -n 20"))
        let satellites = reports.used.map { ", \($0) satellites used" } ?? ""
        return .of([velocity], otherwise: "\(name) has a \(reports.mode >= 3 ? "3D" : "2D") fix\(satellites)")
    }

    private static func silence(_ gpsd: GpsdState, _ name: String) -> Finding {
        guard let used = gpsd.used, used.driver.isEmpty, Set(used.speeds).count > 1 else {
            return Finding(
                .fixSilent, "\(name) sends nothing: check its cable and power", .look("gpspipe -r -n 5 -x 10"))
        }
        return Finding(
            .fixSpeed,
            "\(name): gpsd tries speeds (now \(used.speeds.last ?? 0) bit/s) and recognizes nothing: set the receiver "
                + "to one of them", .look("gpspipe -R -x 5 | od -c | head -n 20"))
    }
}

extension GpsdState {
    /// The receiver that posed uses: that of the settings, or the first.
    var used: Receiver? { receivers?.first { $0.path == wanted } ?? receivers?.first }
}
