import Configuration
import Frames
import Glibc
import JournalLog
import Logging
import Platform
import Publishing

/// The running daemon: settings in, then sources, engine and sockets until it is told to stop.
package enum Daemon {
    /// The exit code when it was stopped as asked.
    package static let stoppedExitCode: Int32 = 0
    /// EX_SOFTWARE of sysexits.h: the system has not what the daemon needs.
    package static let faultExitCode: Int32 = 70
    /// EX_CONFIG of sysexits.h: the sockets cannot be served as set.
    package static let settingsExitCode: Int32 = 78

    /// Runs until it is told to stop; returns the exit code. `reload` tells where SIGHUP finds the settings.
    package static func run(_ loaded: LoadedSettings, reload: SettingsSources) -> Int32 {
        // Before any thread, so that no thread but this one gets a signal.
        guard let signals = SignalSource() else {
            complain("cannot create the signal descriptor: \(describe(errno))")
            return faultExitCode
        }
        let output = LogOutput(level: loaded.settings.logLevel)
        let log = Logger(label: "posed") { _ in JournalLogHandler(output: output) }
        let manager = ServiceManager()
        if let problem = manager.problem { log.warning("\(problem)") }
        do throws(SocketError) {
            let listeners = try Self.listeners(loaded.settings.publishing)
            defer { listeners.forEach { $0.removeFile() } }
            let outputs = try Self.outputs(loaded.settings)
            defer { outputs.forEach { $0.remove() } }
            let running = try RunningDaemon(
                settings: SettingsInForce(loaded, sources: reload), listeners: listeners, outputs: outputs,
                signals: signals, output: output,
                log: log, manager: manager
            )
            running.run()
            return stoppedExitCode
        } catch {
            log.critical("\(error)")
            return settingsExitCode
        }
    }

    /// The sockets that the service manager made, and own ones for what it did not.
    private static func listeners(_ settings: PublishingSettings) throws(SocketError) -> [ListeningSocket] {
        let inherited: InheritedSockets
        do throws(InheritedSocketFault) {
            inherited = try InheritedSockets.take()
        } catch {
            throw SocketError(place: "LISTEN_FDS", text: error.description)
        }
        if inherited.frames == nil || inherited.stream == nil { try makeFolder(settings.folder) }
        var listeners: [ListeningSocket] = []
        do throws(SocketError) {
            for (descriptor, kind, path) in [
                (inherited.frames, SocketKind.frames, settings.framesPath),
                (inherited.stream, .stream, settings.streamPath),
            ] {
                if let descriptor {
                    listeners.append(ListeningSocket(inherited: descriptor, kind: kind))
                } else {
                    listeners.append(
                        try ListeningSocket(path: path, kind: kind, mode: settings.mode, group: settings.group))
                }
            }
        } catch {
            listeners.forEach { $0.removeFile() }
            throw error
        }
        return listeners
    }

    /// The other forms of the pose that are switched on.
    private static func outputs(_ settings: Settings) throws(SocketError) -> [any FrameOutput] {
        var outputs: [any FrameOutput] = []
        do throws(SocketError) {
            if let path = settings.outputs.nmeaPath {
                outputs.append(
                    try NMEAOutput(
                        path: path, rateHertz: settings.outputs.nmeaRateHertz, mode: settings.publishing.mode))
            }
            if let port = settings.outputs.gpsdPort {
                outputs.append(
                    try GpsdOutput(port: port, rateHertz: settings.outputs.gpsdRateHertz, release: Release.version))
            }
        } catch {
            outputs.forEach { $0.remove() }
            throw error
        }
        return outputs
    }

    /// Makes the folder of the sockets where there is none; everyone may enter it, the sockets' own mode says who may
    /// connect.
    private static func makeFolder(_ path: String) throws(SocketError) {
        guard mkdir(path, 0o755) != 0, errno != EEXIST else { return }
        throw SocketError(
            place: path,
            text:
                "the folder cannot be made: \(describe(errno)); make it, or set sockets.folder to one that may be "
                + "written to"
        )
    }

    private static func complain(_ text: String) {
        let line = Array("posed: \(text)\n".utf8)
        _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
