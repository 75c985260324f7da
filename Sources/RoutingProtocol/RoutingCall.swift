/// One HTTP request that the daemon has made for it, with every bound that the program keeps.
public struct RoutingCall: Sendable, Equatable {
    /// The whole address, `http://` or `https://`.
    public var url: String
    /// What is posted, as JSON; `nil`: the address is asked with GET.
    public var body: [UInt8]?
    /// What the client calls itself.
    public var agent: String
    /// The proxy's address; `nil`: none.
    public var proxy: String?
    /// The file with the certificate authorities that are trusted (PEM); `nil`: those of the system.
    public var authorityFile: String?
    /// For all of it, from the name to the last byte, redirections included, milliseconds; at most
    /// ``longestMilliseconds``.
    public var limitMilliseconds: UInt32
    /// Most bytes of the answer's body.
    public var maximumBytes: UInt32

    /// The longest time limit taken, milliseconds.
    public static let longestMilliseconds: UInt32 = 60_000

    /// A request.
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

    /// The payload of its record.
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

    /// Reads the payload of a record.
    init(payload: [UInt8]) throws(RoutingProtocolFault) {
        var fields = FieldReader(payload)
        url = try fields.text()
        body = try fields.optional()
        agent = try fields.text()
        proxy = try fields.optionalText()
        authorityFile = try fields.optionalText()
        limitMilliseconds = try fields.number()
        maximumBytes = try fields.number()
        guard fields.isAtEnd, (1...Self.longestMilliseconds).contains(limitMilliseconds), maximumBytes > 0 else {
            throw .malformed
        }
    }
}

/// Why there is no answer.
public enum RoutingFault: UInt8, Sendable, CaseIterable {
    /// The server's name is not known.
    case unknownHost = 1
    /// Nobody listens at its port.
    case refused
    /// There is no way to it.
    case unreachable
    /// The time was over before the name was found.
    case nameTooSlow
    /// The time was over before the connection was made.
    case connectTooSlow
    /// The time was over before the answer was whole.
    case answerTooSlow
    /// No encrypted connection: its certificate is not trusted, or there is none.
    case untrusted
    /// The proxy is not known, or does not let the request through.
    case proxy
    /// It sends the request elsewhere too often, or to an address that is not taken.
    case redirected
    /// The answer is larger than allowed.
    case tooLarge
    /// The answer is not HTTP.
    case malformed
    /// The connection ended before the answer did.
    case cutOff
    /// The request itself cannot be made.
    case misused
    /// Another failure.
    case other
}

/// How a request ended.
public enum RoutingReport: Sendable, Equatable {
    /// The server has answered with a status of HTTP; the body came before.
    case answered(status: UInt16)
    /// It has not; `detail` is the library's own text, at most ``detailLimit`` bytes.
    case failed(RoutingFault, detail: String)

    /// Most bytes of a detail.
    public static let detailLimit = 400

    /// The payload of its record.
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

    /// Reads the payload of a record.
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
