import BoundedJSON

/// Reads the response of a routing server.
public enum RoutingAnswer {
    /// The route of a response, from its HTTP status and body. Throws the server's own message if it has no route.
    public static func route(status: Int, body: [UInt8]) throws(RouteDataProblem) -> RouteReading {
        guard (200..<300).contains(status) else {
            throw RouteDataProblem(
                reason: "the routing server refused the request (\(status)): \(words(in: body))", remedy: remedy(status)
            )
        }
        if let problem = otherForm(of: body) { throw problem }
        return try RouteReader.read(bytes: body)
    }

    /// Why a body is not a JSON object or array, `nil` if it may be: the words of the route reader are about a file.
    private static func otherForm(of body: [UInt8]) -> RouteDataProblem? {
        switch body.first(where: { !XMLScanner.isSpace($0) && $0 < 0x80 }) {
        case UInt8(ascii: "{"), UInt8(ascii: "["): nil
        case UInt8(ascii: "<"):
            RouteDataProblem(
                reason: "the routing server answered with a web page, not with a route",
                remedy: "check routing.server; a network that asks for a login answers so, too")
        case let first:
            RouteDataProblem(
                reason: "the routing server's answer is \(first == nil ? "empty" : "not a route")",
                remedy: "check routing.server and routing.kind")
        }
    }

    private static func remedy(_ status: Int) -> String {
        switch status {
        case 300..<400: "set routing.server to the address that it names"
        case 400: "check that start and destination are on roads known to the server"
        case 404: "check routing.server and routing.kind"
        case 407: "check routing.proxy"
        case 429: "it is asked too often: raise the limit of the server, or use one of your own"
        case 502...504: "it is overloaded or starting: ask again; a reroute is repeated automatically"
        default: "look at the server"
        }
    }

    /// The server's error message: `message`, `error` or `status_message` of its JSON.
    private static func words(in body: [UInt8]) -> String {
        let limits = JSONLimits(maximumBytes: 1 << 16, maximumDepth: 16, maximumEntries: 1000)
        guard let root = try? JSONDocument(bytes: body, limits: limits).root, root.kind == .object else {
            return "no reason given"
        }
        for name in ["message", "error", "status_message", "status"] {
            if let value = root[name], let text = try? value.requiredString() { return String(text.prefix(200)) }
        }
        return "no reason given"
    }
}
