import ArgumentParser
import Glibc
import Monitor

/// `posectl status`.
struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Say how the daemon is, and why it is not better.",
        discussion: "Exit status: 0 healthy, 1 degraded, 2 the daemon is not there, 64 wrong usage.")

    @OptionGroup var socket: SocketOptions

    @Flag(help: "Print the daemon's own answer.")
    var json = false

    func run() throws {
        let reply = try socket.perform(.status)
        guard let status = StatusText(reply: reply) else {
            complain("the daemon's answer is not understood; it may be of another release: \(reply)")
            throw ExitCode.noDaemon
        }
        writeText((json ? reply : status.text) + "\n", to: STDOUT_FILENO)
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
            commandName: "load", abstract: "Follow the route in a file: a router's response, GPX or GeoJSON.",
            discussion: "Exit status: 0 done, 2 the daemon is not there, 64 wrong usage, 65 the route is broken.")

        @OptionGroup var socket: SocketOptions

        @Argument(help: "The file; the daemon must be able to read it.", completion: .file())
        var file: String

        func run() throws {
            // The daemon does not know this folder.
            guard let absolute = realpath(file, nil) else {
                complain("\(file): cannot be opened (\(String(cString: strerror(errno)))); give the file of a route")
                throw ExitCode.badData
            }
            defer { free(absolute) }
            _ = try socket.perform(.routeLoad(path: String(cString: absolute)))
        }
    }

    /// `posectl route to`.
    struct To: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "to", abstract: "Ask the routing server for a route from here to a place, and follow it.",
            discussion: """
                South and west are negative: posectl route to 42.5063,1.5218. A first number below 0 goes behind --: \
                posectl route to -- -33.9,18.4.
                Exit status: 0 done, 2 the daemon is not there, 64 wrong usage, 65 there is no route or no server.
                """)

        @OptionGroup var socket: SocketOptions

        @Argument(help: ArgumentHelp("Latitude and longitude, degrees.", valueName: "lat,lon"))
        var place: String

        func validate() throws {
            guard coordinates != nil else {
                throw ValidationError(
                    "\(place) is no place: write latitude and longitude in degrees, as 42.5063,1.5218")
            }
        }

        func run() throws {
            guard let coordinates else { return }
            _ = try socket.perform(
                .routeTo(latitudeDegrees: coordinates.latitude, longitudeDegrees: coordinates.longitude))
        }

        private var coordinates: (latitude: Double, longitude: Double)? {
            let parts = place.split(separator: ",", omittingEmptySubsequences: false).map {
                Double($0.drop { $0 == " " })
            }
            guard parts.count == 2, let latitude = parts[0], let longitude = parts[1], abs(latitude) <= 90,
                abs(longitude) <= 180
            else { return nil }
            return (latitude, longitude)
        }
    }

    /// `posectl route clear`.
    struct Clear: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "clear", abstract: "Follow no route any more.")

        @OptionGroup var socket: SocketOptions

        func run() throws { _ = try socket.perform(.routeClear) }
    }
}

/// `posectl trim`.
struct TrimCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trim", abstract: "Turn the published heading, clockwise positive, until the next reset.",
        discussion:
            "posectl trim +1 turns further by a degree, posectl trim -- -1 back, posectl trim --set 0 takes the trim "
            + "away."
    )

    @OptionGroup var socket: SocketOptions

    @Argument(help: ArgumentHelp("Degrees to turn further.", valueName: "degrees"))
    var by: Double?

    @Option(help: ArgumentHelp("Degrees to set the trim to.", valueName: "degrees"))
    var set: Double?

    func validate() throws {
        guard (by == nil) != (set == nil) else {
            throw ValidationError("give either degrees to turn by, or --set with degrees")
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
        commandName: "reset", abstract: "Drop origin, trim and progress, and align anew.")

    @OptionGroup var socket: SocketOptions

    func run() throws { _ = try socket.perform(.reset) }
}
