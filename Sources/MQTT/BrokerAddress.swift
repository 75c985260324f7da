/// How a broker is reached, and who connects.
public struct BrokerAddress: Sendable, Equatable {
    /// Host name or address.
    public var host: String
    /// The port.
    public var port: Int
    /// The certificates; `nil` for a connection without encryption.
    public var tls: Certificates?
    /// User name and password; `nil` without.
    public var login: Login?
    /// Name of this client, unique at the broker.
    public var clientID: String
    /// Interval at which the two ends tell that they are there, seconds.
    public var keepAliveSeconds = 30
    /// How long the broker keeps the subscription after the connection was lost, seconds.
    public var sessionSeconds: UInt32 = 0
    /// Maximum size of a packet from the broker, bytes.
    public var packetLimit: UInt32 = 1 << 20

    /// Files of certificates.
    public struct Certificates: Sendable, Equatable {
        /// The trusted authorities; `nil` for those of the system.
        public var authorityFile: String?
        /// The certificate of this client; `nil` without.
        public var certificateFile: String?
        /// Its private key, without a password.
        public var keyFile: String?

        /// Creates the files of a connection that trusts the system's authorities.
        public init() {}
    }

    /// User name and password.
    public struct Login: Sendable, Equatable {
        /// The user.
        public var user: String
        /// The password.
        public var password: String

        /// Creates a login.
        public init(user: String, password: String) {
            self.user = user
            self.password = password
        }
    }

    /// Creates the address of a broker.
    public init(host: String, port: Int, clientID: String) {
        self.host = host
        self.port = port
        self.clientID = clientID
    }
}

/// A message to publish.
public struct Publication: Sendable, Equatable {
    /// The topic.
    public var topic: String
    /// The content.
    public var payload: [UInt8]
    /// Whether the broker keeps it for later subscribers.
    public var isRetained = false
    /// What the sender of a request wants back with the answer; empty for none.
    public var correlation: [UInt8] = []

    /// Creates a message.
    public init(topic: String, payload: [UInt8], isRetained: Bool = false) {
        self.topic = topic
        self.payload = payload
        self.isRetained = isRetained
    }
}

/// A message that the broker delivered.
public struct Delivery: Sendable, Equatable {
    /// The topic.
    public var topic: String
    /// The content.
    public var payload: [UInt8]
    /// Whether it was kept by the broker and sent because of the subscription.
    public var isRetained: Bool
    /// Where the sender wants the answer; `nil` without a wish.
    public var responseTopic: String?
    /// What the sender wants back with the answer; empty for none.
    public var correlation: [UInt8]

    /// Creates a message.
    public init(
        topic: String, payload: [UInt8], isRetained: Bool = false, responseTopic: String? = nil,
        correlation: [UInt8] = []
    ) {
        self.topic = topic
        self.payload = payload
        self.isRetained = isRetained
        self.responseTopic = responseTopic
        self.correlation = correlation
    }
}

/// What the broker said.
public enum BrokerEvent: Sendable, Equatable {
    /// The connection is ready.
    case connected
    /// The broker has the publication with that number; `reason` is 0 to 127, or an error of MQTT 5 from 128 on.
    case acknowledged(number: Int32, reason: UInt8)
    /// A message for this client.
    case delivered(Delivery)
    /// The broker refused the subscription, with an error of MQTT 5.
    case subscriptionRefused(reason: UInt8)
    /// The connection ended; the reason is for people.
    case ended(BrokerFault)
}

/// What became of a message that was to be published.
public enum PublishResult: Sendable, Equatable {
    /// It is on its way; the event ``BrokerEvent/acknowledged(number:reason:)`` will have this number.
    case sent(number: Int32)
    /// The broker has said that it takes no packet of this size.
    case tooLarge
    /// The connection was lost.
    case lost
}

/// Why a connection could not be made or ended.
public struct BrokerFault: Error, Sendable, Equatable {
    /// The kind, for counters.
    public var kind: Kind
    /// What is wrong and what to do.
    public var text: String

    /// Kinds of faults.
    public enum Kind: String, Sendable, CaseIterable {
        /// The broker cannot be reached, or the connection was lost.
        case network
        /// A certificate is not trusted, or the two ends agree on no encryption.
        case certificate
        /// The broker refuses this client.
        case refused
        /// The broker broke the protocol or acknowledges nothing.
        case protocolError = "protocol"
        /// The settings cannot be used, for example a file that is missing.
        case settings
    }

    /// Creates a fault.
    public init(_ kind: Kind, _ text: String) {
        self.kind = kind
        self.text = text
    }
}
