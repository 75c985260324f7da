import FlyingFox

/// Decides who may see the page.
struct AccessControl: Sendable {
    /// The decision about a request.
    enum Decision: Equatable {
        /// It is served.
        case allowed
        /// It came with the token in its address: it is served from then on by the cookie.
        case welcome
        /// It has no valid token.
        case tokenNeeded
        /// It is addressed to a name that is not this server's, or comes from another site's page.
        case foreign(String)
    }

    /// Name of the cookie.
    static let cookie = "posed_token"

    /// The token; `nil` if none is needed.
    var token: String?
    /// Names under which browsers may reach the page, besides `localhost` and numeric addresses.
    var hostNames: [String]

    /// Decides about a request.
    func decide(_ request: HTTPRequest) -> Decision {
        guard let host = request.headers[.host], isOwn(host) else {
            return .foreign(request.headers[.host] ?? "")
        }
        // A page of another site may not read the pose: browsers name the site that opened a connection.
        if let origin = request.headers[HTTPHeader("Origin")], !Self.isSame(origin, host) { return .foreign(origin) }
        guard let token else { return .allowed }
        if let given = request.query.first(where: { $0.name == "token" })?.value {
            return Self.isEqual(given, token) ? .welcome : .tokenNeeded
        }
        let cookies = (request.headers[.cookie] ?? "").split(separator: ";").map { $0.drop { $0 == " " } }
        let given = cookies.first { $0.hasPrefix("\(Self.cookie)=") }?.dropFirst(Self.cookie.count + 1)
        return Self.isEqual(String(given ?? ""), token) ? .allowed : .tokenNeeded
    }

    /// Whether a browser that names this host means this server. A name that an attacker's name server resolves to this
    /// machine is neither numeric nor listed.
    private func isOwn(_ host: String) -> Bool {
        let name = Self.name(of: host).lowercased()
        if name.hasPrefix("["), name.hasSuffix("]") { return true }
        if name == "localhost" || name.hasSuffix(".localhost") { return true }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        if parts.count == 4, parts.allSatisfy({ UInt8($0) != nil }) { return true }
        // A name may be given as the browser shows it, with a port.
        return hostNames.contains { Self.name(of: $0).lowercased() == name }
    }

    /// A host without its port.
    private static func name(of host: String) -> String {
        if host.hasPrefix("["), let end = host.firstIndex(of: "]") { return String(host[...end]) }
        return String(host.prefix { $0 != ":" })
    }

    private static func isSame(_ origin: String, _ host: String) -> Bool {
        origin == "http://\(host)" || origin == "https://\(host)"
    }

    /// Compares in a time that does not tell where the texts differ.
    static func isEqual(_ given: String, _ token: String) -> Bool {
        let (a, b) = (Array(given.utf8), Array(token.utf8))
        var difference = a.count ^ b.count
        for index in 0..<max(a.count, b.count) {
            difference |= Int((index < a.count ? a[index] : 0) ^ (index < b.count ? b[index] : 0))
        }
        return difference == 0
    }
}
