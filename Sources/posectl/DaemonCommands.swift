import ArgumentParser
import Glibc
import Monitor

/// `posectl status`.
struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show the status of the daemon, and why the pose is not better.",
        discussion:
            "Exit status: 0 healthy, 1 degraded, 2 the daemon does not run, 64 wrong usage, 65 the daemon refuses it, "
            + "73 output cannot be written.")

    @OptionGroup var socket: SocketOptions

    @Flag(help: "Print the daemon's JSON reply.")
    var json = false

    func run() throws {
        let reply = try socket.perform(.status)
        guard let status = StatusText(reply: reply) else {
            complain("the daemon's reply is unknown; the daemon may be of another release: \(reply)")
            throw ExitCode.noDaemon
        }
        try printResult((json ? reply : status.text) + "\n")
        if status.health != .healthy { throw ExitCode(status.health.rawValue) }
    }
}

/// `posectl route`.
struct RouteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "route", abstract: "Load or clear the route to follow.",
        subcommands: [Load.self, To.self, Clear.self])

    /// `posectl route load`.
    struct Load: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "load", abstract: "Load the route in a file: a router's response, GPX or GeoJSON.",
            discussion: "Exit status: 0 done, 2 the daemon does not run, 64 wrong usage, 65 invalid route.")

        @OptionGroup var socket: SocketOptions

        @Argument(help: "The file; the daemon must be able to read it, such as in /etc/posed.", completion: .file())
        var file: String

        func run() throws {
            // The daemon does not know the current folder.
            guard let absolute = realpath(file, nil) else {
                complain("\(file): cannot be opened (\(String(cString: strerror(errno)))); name a route file")
                throw ExitCode.badData
            }
            defer { free(absolute) }
            let path = String(cString: absolute)
            _ = try socket.perform(.routeLoad(path: path)) { Self.hint(for: path, refusal: $0) }
        }

        /// What to do with a file that the installed service cannot open: it has neither the home folders nor the
        /// temporary files of others. `nil` for another refusal.
        static func hint(for path: String, refusal: String) -> String? {
            let hidden = ["/home/", "/root/", "/run/user/", "/tmp/", "/var/tmp/"]
            guard refusal.contains("cannot be opened"), hidden.contains(where: { path.hasPrefix($0) }) else {
                return nil
            }
            return "the service cannot see /home and /tmp: sudo install -m 644 '\(path)' /etc/posed/, and load that"
        }
    }

    /// `posectl route to`.
    struct To: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "to",
            abstract: "Request a route from here through places from the routing server, and load it.",
            discussion: """
                South and west are negative: posectl route to 42.5063,1.5218. The places are reached in their order; \
                the last is the destination. Write -- before a negative first number: posectl route to -- -33.9,18.4.
                Exit status: 0 done, 2 the daemon does not run, 64 wrong usage, 65 no route or no server.
                """)

        @OptionGroup var socket: SocketOptions

        @Argument(help: ArgumentHelp("Latitude and longitude of each place, degrees.", valueName: "lat,lon"))
        var places: [String]

        func validate() throws {
            for place in places where Self.coordinates(place) == nil {
                throw ValidationError(
                    "'\(place)' is not a position: write latitude and longitude in degrees, such as 42.5063,1.5218")
            }
        }

        func run() throws { _ = try socket.perform(.routeTo(places.compactMap { Self.coordinates($0) })) }

        private static func coordinates(_ place: String) -> CommandClient.Place? {
            let parts = place.split(separator: ",", omittingEmptySubsequences: false).map {
                Double($0.drop { $0 == " " })
            }
            guard parts.count == 2, let latitude = parts[0], let longitude = parts[1], abs(latitude) <= 90,
                abs(longitude) <= 180
            else { return nil }
            return CommandClient.Place(latitudeDegrees: latitude, longitudeDegrees: longitude)
        }
    }

    /// `posectl route clear`.
    struct Clear: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "clear", abstract: "Clear the route.")

        @OptionGroup var socket: SocketOptions

        func run() throws { _ = try socket.perform(.routeClear) }
    }
}

/// `posectl trim`.
struct TrimCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trim",
        abstract: "Set the trim of the published heading, clockwise positive, until the next reset.",
        discussion:
            "posectl trim +1 adds one degree, posectl trim -1 subtracts one degree, posectl trim --set 0 removes "
            + "the trim."
    )

    @OptionGroup var socket: SocketOptions

    @Argument(help: ArgumentHelp("Degrees to add to the trim.", valueName: "degrees"))
    var by: Double?

    @Option(help: ArgumentHelp("Degrees to set the trim to.", valueName: "degrees"))
    var set: Double?

    func validate() throws {
        guard (by == nil) != (set == nil) else {
            throw ValidationError("give either degrees to add, or --set with degrees")
        }
        guard let angle = by ?? set, abs(angle) <= 180 else {
            throw ValidationError("degrees must lie between -180 and 180")
        }
    }

    func run() throws {
        if let by { _ = try socket.perform(.trimBy(degrees: by)) }
        if let set { _ = try socket.perform(.trimTo(degrees: set)) }
    }
}

/// `posectl reset`.
struct ResetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset", abstract: "Clear origin, trim and progress, and align again.")

    @OptionGroup var socket: SocketOptions

    func run() throws { _ = try socket.perform(.reset) }
}
