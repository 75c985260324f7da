import BoundedJSON
import Platform
import RoadData
import RoutingProtocol

/// Requests a route from a routing server. Blocks for at most the time limit, so it runs on a thread of its own.
package struct RoutingClient: Sendable {
    /// The server.
    package var server: RoutingServer
    /// Time limit for the whole answer, seconds.
    var limitSeconds: Double
    /// Address of the proxy; `nil` for none.
    var proxy: String?
    /// File of certificate authorities; `nil` for those of the system.
    var authorityFile: String?
    /// Runs the program that sends the request.
    var helper = RoutingHelper()

    /// Creates a client for a server.
    package init(
        server: RoutingServer, limitSeconds: Double, proxy: String? = nil, authorityFile: String? = nil,
        helper: RoutingHelper = RoutingHelper()
    ) {
        self.server = server
        self.limitSeconds = limitSeconds
        self.proxy = proxy
        self.authorityFile = authorityFile
        self.helper = helper
    }

    /// Requests the route for a query.
    package func route(_ query: RoutingQuery, stop: StopSignal) throws(RequestProblem) -> RouteReading {
        let request = server.request(query)
        let milliseconds = UInt32(exactly: (limitSeconds * 1000).rounded()) ?? RoutingCall.maximumMilliseconds
        let call = RoutingCall(
            url: request.url, body: request.body, agent: "posed/\(Release.version)", proxy: proxy,
            authorityFile: authorityFile, limitMilliseconds: min(max(milliseconds, 1), RoutingCall.maximumMilliseconds),
            maximumBytes: UInt32(clamping: JSONLimits.routeFile.maximumBytes))
        let answer: RoutingHelper.Answer
        do throws(RoutingHelper.Failure) {
            answer = try helper.perform(call, stop: stop)
        } catch {
            throw problem(error)
        }
        do throws(RouteDataProblem) {
            return try RoutingAnswer.route(status: answer.status, body: answer.body)
        } catch {
            throw RequestProblem(error, file: server.name)
        }
    }

    private func problem(_ failure: RoutingHelper.Failure) -> RequestProblem {
        switch failure {
        case .transfer(let fault, let detail):
            let (what, remedy) = words(fault)
            return RequestProblem(
                what: detail.isEmpty || isPlain(fault) ? what : "\(what) (\(detail))", place: server.name,
                remedy: remedy)
        case .tooSlow:
            let (what, remedy) = words(.answerTooSlow)
            return RequestProblem(what: what, place: server.name, remedy: remedy)
        case .cancelled:
            return RequestProblem(
                what: "the request was cancelled: a newer one took its place, or posed ends", place: server.name,
                remedy: "ask again if it is still wanted")
        case .helper(let what, let remedy):
            return RequestProblem(what: what, place: "routing", remedy: remedy)
        }
    }

    /// Whether the library's detail text would only repeat the error text.
    private func isPlain(_ fault: RoutingFault) -> Bool {
        switch fault {
        case .unknownHost, .refused, .nameTooSlow, .connectTooSlow, .answerTooSlow: true
        default: false
        }
    }

    /// The error text and the remedy.
    private func words(_ fault: RoutingFault) -> (what: String, remedy: String) {
        let place = "\(server.host) port \(server.port)"
        let check = "check routing.server, and that the server runs"
        return switch fault {
        // The system tells the same of a name that does not exist and of a network that is down.
        case .unknownHost: ("the host \(server.host) is not known", "check routing.server and the network")
        case .refused: ("no routing server answers at \(place): is it running?", check)
        case .unreachable: ("cannot connect to \(place)", "check routing.server and the network")
        case .nameTooSlow:
            (
                "the name \(server.host) was not resolved within \(limitSeconds) s",
                "check the name service, or give an address"
            )
        case .connectTooSlow: ("no answer from \(place) within \(limitSeconds) s: is the host up?", check)
        case .answerTooSlow:
            (
                "no complete answer from \(place) within \(limitSeconds) s",
                "raise routing.timeout_s, or look at the server"
            )
        case .untrusted:
            (
                "no encrypted connection to \(place)",
                "check that the server's certificate is valid for this name, and the clock of this computer; set "
                    + "routing.ca_file for an authority of your own"
            )
        case .proxy:
            (
                "no connection through the proxy",
                "check routing.proxy, and that the server can be reached from there"
            )
        case .redirected:
            ("the server redirects the request", "set routing.server to the address that it names")
        case .tooLarge: ("the answer of \(place) is larger than a route may be", "check routing.server")
        case .malformed: ("the answer of \(place) cannot be parsed", "check routing.server: is it a routing server?")
        case .cutOff: ("the answer of \(place) was cut off", check)
        case .misused: ("the request is invalid", "check routing.server, routing.proxy and routing.ca_file")
        case .other: ("the request to \(place) failed", check)
        }
    }
}
