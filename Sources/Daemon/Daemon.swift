import Configuration
import Frames
import Glibc
import JournalLog
import Logging
import Platform
import Publishing

/// Runs the daemon: reads settings, creates sources, engine and sockets, and serves until it is stopped.
package enum Daemon {
    /// Exit code after a requested stop.
    package static let stoppedExitCode: Int32 = 0
    /// EX_SOFTWARE of sysexits.h: a system resource is missing.
    package static let faultExitCode: Int32 = 70
    /// EX_CONFIG of sysexits.h: the sockets cannot be created as configured.
    package static let settingsExitCode: Int32 = 78

    /// Runs until it is stopped; returns the exit code. `reload` gives the sources of the settings for SIGHUP.
    package static func run(_ loaded: LoadedSettings, reload: SettingsSources) -> Int32 {
        if let bytes = StackLimit.raise() {
            complain(
                "the stack is limited to \(bytes / 1024) KiB, and \(StackLimit.leastBytes / 1024) KiB are needed; "
                    + "raise the limit (`ulimit -s 8192`, or LimitSTACK= of the unit)")
            return faultExitCode
        }
        // Before any other thread starts: it is a copy of this process.
        let remote = SourceSet.remoteReader(loaded.settings)
        // Before any other thread starts, so that only this thread receives signals.
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
                settings: SettingsInForce(loaded, sources: reload), remote: remote, listeners: listeners,
                outputs: outputs,
                signals: signals, output: output, log: log, manager: manager
            )
            return running.run() ? stoppedExitCode : faultExitCode
        } catch {
            log.critical("\(error)")
            return settingsExitCode
        }
    }

    /// The sockets of the service manager, and own sockets in place of missing ones.
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
                        try ListeningSocket(
                            path: path, kind: kind, mode: settings.mode, group: settings.group,
                            folderRemedy: SocketFolder.remedy(path: settings.folder)))
                }
            }
        } catch {
            listeners.forEach { $0.removeFile() }
            throw error
        }
        return listeners
    }

    /// The enabled output formats.
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

    /// Creates the folder of the sockets if it does not exist. Every user may enter it; the mode of the sockets
    /// restricts connecting.
    private static func makeFolder(_ path: String) throws(SocketError) {
        guard mkdir(path, 0o755) != 0, errno != EEXIST else { return }
        throw SocketError(
            place: path,
            text: "cannot create the folder: \(describe(errno)); \(SocketFolder.remedy(path: path))")
    }

    private static func complain(_ text: String) {
        let line = Array("posed: \(text)\n".utf8)
        _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
