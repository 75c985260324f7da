/// One HTTP request of the daemon, with all limits that the helper program enforces.
public struct RoutingCall: Sendable, Equatable {
    /// Full URL, `http://` or `https://`.
    public var url: String
    /// JSON body for POST; `nil`: the request is a GET.
    public var body: [UInt8]?
    /// User agent of the request.
    public var agent: String
    /// Address of the proxy; `nil`: none.
    public var proxy: String?
    /// File with trusted certificate authorities (PEM); `nil`: those of the system.
    public var authorityFile: String?
    /// Time limit from name resolution to the last byte, redirections included, milliseconds; at most
    /// ``maximumMilliseconds``.
    public var limitMilliseconds: UInt32
    /// Maximum size of the response body, bytes.
    public var maximumBytes: UInt32

    /// Maximum time limit, milliseconds.
    public static let maximumMilliseconds: UInt32 = 60_000

    /// Creates a request.
    public init(
        url: String, body: [UInt8]? = nil, agent: String, proxy: String? = nil, authorityFile: String? = nil,
        limitMilliseconds: UInt32, maximumBytes: UInt32
    ) {
        self.url = url
        self.body = body
        self.agent = agent
        self.proxy = proxy
        self.authorityFile = authorityFile
        self.limitMilliseconds = limitMilliseconds
        self.maximumBytes = maximumBytes
    }

    /// Encodes the payload of its record.
    func payload() -> [UInt8] {
        var fields = FieldWriter()
        fields.text(url)
        fields.optional(body)
        fields.text(agent)
        fields.optional(proxy.map { Array($0.utf8) })
        fields.optional(authorityFile.map { Array($0.utf8) })
        fields.number(limitMilliseconds)
        fields.number(maximumBytes)
        return fields.bytes
    }

    /// Decodes the payload of a record.
    init(payload: [UInt8]) throws(RoutingProtocolFault) {
        var fields = FieldReader(payload)
        url = try fields.text()
        body = try fields.optional()
        agent = try fields.text()
        proxy = try fields.optionalText()
        authorityFile = try fields.optionalText()
        limitMilliseconds = try fields.number()
        maximumBytes = try fields.number()
        guard fields.isAtEnd, (1...Self.maximumMilliseconds).contains(limitMilliseconds), maximumBytes > 0 else {
            throw .malformed
        }
    }
}

/// Why a request failed.
public enum RoutingFault: UInt8, Sendable, CaseIterable {
    /// The server's name cannot be resolved.
    case unknownHost = 1
    /// The connection was refused.
    case refused
    /// The server is unreachable.
    case unreachable
    /// The time limit expired during name resolution.
    case nameTooSlow
    /// The time limit expired while connecting.
    case connectTooSlow
    /// The time limit expired before the response was complete.
    case answerTooSlow
    /// The encrypted connection failed: no certificate, or one that is not trusted.
    case untrusted
    /// The proxy cannot be resolved or reached, or does not connect to the server.
    case proxy
    /// Too many redirections, or a redirection to an address that is not allowed.
    case redirected
    /// The response is larger than allowed.
    case tooLarge
    /// The response is not valid HTTP.
    case malformed
    /// The connection closed before the response was complete.
    case cutOff
    /// The request itself is invalid.
    case misused
    /// Another failure.
    case other
}

/// Result of a request.
public enum RoutingReport: Sendable, Equatable {
    /// The server responded with an HTTP status; the body was sent before this report.
    case answered(status: UInt16)
    /// The request failed; `detail` is libcurl's error text, at most ``detailLimit`` bytes.
    case failed(RoutingFault, detail: String)

    /// Maximum length of a detail, bytes.
    public static let detailLimit = 400

    /// Encodes the payload of its record.
    func payload() -> [UInt8] {
        var fields = FieldWriter()
        switch self {
        case .answered(let status):
            fields.number(0)
            fields.number(UInt32(status))
            fields.text("")
        case .failed(let fault, let detail):
            fields.number(UInt32(fault.rawValue))
            fields.number(0)
            fields.text(String(decoding: detail.utf8.prefix(Self.detailLimit), as: UTF8.self))
        }
        return fields.bytes
    }

    /// Decodes the payload of a record.
    init(payload: [UInt8]) throws(RoutingProtocolFault) {
        var fields = FieldReader(payload)
        let (kind, status) = (try fields.number(), try fields.number())
        let detail = try fields.text()
        guard fields.isAtEnd else { throw .malformed }
        if kind == 0 {
            guard let status = UInt16(exactly: status), (100...599).contains(status) else { throw .malformed }
            self = .answered(status: status)
        } else {
            guard let fault = UInt8(exactly: kind).flatMap(RoutingFault.init(rawValue:)) else { throw .malformed }
            self = .failed(fault, detail: detail)
        }
    }
}
