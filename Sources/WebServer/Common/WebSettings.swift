import Glibc

/// The options of the web server.
package struct WebSettings: Sendable {
    /// Numeric address to listen at.
    package var address = "127.0.0.1"
    /// Port to listen at, 0 to 65535; 0: any free one.
    package var port: UInt16 = 8470
    /// Path of the daemon's stream socket.
    package var socketPath = "/run/posed/stream"
    /// What a visitor must know to see the page; `nil`: nothing.
    package var token: String?
    /// Names under which browsers may reach the page, besides `localhost` and numeric addresses.
    package var hostNames: [String] = []
    /// Whether the page may start and stop recordings, and set targets.
    package var allowsControl = false
    /// Most pages that are served at the same time.
    package var viewerLimit = 64
    /// Most connections at the same time: a browser opens up to six for the files of a page.
    package var connectionLimit: Int { viewerLimit * 3 + 64 }
    /// The road file to draw; `nil`: the daemon's.
    package var roadFile: String?
    /// The folder of the recordings that can be played; `nil`: the daemon's.
    package var recordingFolder: String?
    /// The folder of the page's files; `nil`: where they are installed.
    package var pageFolder: String?

    /// The defaults.
    package init() {}

    /// Whether the address can be reached from this machine only.
    package var isLoopback: Bool { address.hasPrefix("127.") || address == "::1" }

    /// What is wrong with an address to listen at; `nil` if it is numeric.
    package static func problem(ofAddress text: String) -> String? {
        var bytes = in6_addr()
        guard inet_pton(text.contains(":") ? AF_INET6 : AF_INET, text, &bytes) != 1 else { return nil }
        return "--listen \(text): is no numeric address; write one such as 127.0.0.1 or ::1"
    }
}

/// Why the web server cannot start, or had to end.
package struct WebProblem: Error, Equatable, CustomStringConvertible {
    /// What is wrong, where, and what to do.
    package var description: String

    /// Creates a problem.
    package init(_ description: String) { self.description = description }
}
