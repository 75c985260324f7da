import Glibc
import Platform

/// The remedy where the sockets' folder cannot be used.
enum SocketFolder {
    /// What to do. An ordinary user cannot write to `/run`, and systemd creates the default folder for the user posed.
    ///
    /// - Parameters:
    ///   - path: the folder of the settings.
    ///   - user: the effective user id of the daemon.
    ///   - userFolder: the user's own folder of sockets, XDG_RUNTIME_DIR.
    static func remedy(
        path: String, user: UInt32 = geteuid(),
        userFolder: String? = ProcessEnvironment.current["XDG_RUNTIME_DIR"]
    ) -> String {
        guard user != 0, path == "/run" || path.hasPrefix("/run/") else {
            return "create it, or set sockets.folder to one that may be written to"
        }
        let own = userFolder.flatMap { $0.hasPrefix("/") && !path.hasPrefix($0) ? $0 : nil } ?? "/tmp"
        return "an ordinary user cannot use it: start the service (sudo systemctl start posed), or run "
            + "posed --set sockets.folder=\(own)/posed and posectl --folder \(own)/posed"
    }
}
