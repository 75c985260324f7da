import CMosquitto
import Glibc

/// One connection to a broker. For use by one thread.
public final class BrokerConnection {
    private let client: OpaquePointer
    private let inbox = Inbox()
    private let address: BrokerAddress
    /// Whether the connection exists: between ``connect()`` and the event ``BrokerEvent/ended(_:)``.
    public private(set) var isOpen = false

    /// What the callbacks have received since the last ``process()``.
    private final class Inbox {
        var events: [BrokerEvent] = []
        /// The last line of libmosquitto's log that tells an error.
        var error = ""
        var isConnected = false
    }

    /// Creates a client that is not connected.
    ///
    /// - Parameter will: what the broker publishes when this client is gone without a goodbye.
    public init(_ address: BrokerAddress, will: Publication) throws(BrokerFault) {
        mosquitto_lib_init()
        let context = Unmanaged.passUnretained(inbox).toOpaque()
        guard let client = mosquitto_new(address.clientID, false, context) else {
            throw BrokerFault(.settings, "cannot create a client with the id \(address.clientID)")
        }
        self.client = client
        self.address = address
        mosquitto_int_option(client, MOSQ_OPT_PROTOCOL_VERSION, MQTT_PROTOCOL_V5)
        mosquitto_int_option(client, MOSQ_OPT_RECEIVE_MAXIMUM, 16)
        mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1)
        setCallbacks()
        if let login = address.login { mosquitto_username_pw_set(client, login.user, login.password) }
        if let tls = address.tls { try setCertificates(tls) }
        let result = will.payload.withUnsafeBytes {
            mosquitto_will_set_v5(
                client, will.topic, Int32(clamping: $0.count), $0.baseAddress, 1, will.isRetained, nil)
        }
        guard result == MOSQ_ERR_SUCCESS.code else { throw BrokerFault(.settings, "the will: \(Self.text(result))") }
    }

    deinit { mosquitto_destroy(client) }

    /// The socket to wait for; -1 without a connection.
    public var descriptor: Int32 { mosquitto_socket(client) }

    /// Whether bytes wait until the socket takes them.
    public var wantsToWrite: Bool { mosquitto_want_write(client) }

    /// Connects; blocks while names are resolved and until the broker's machine answers. The event
    /// ``BrokerEvent/connected`` follows when the broker has accepted the client.
    public func connect() throws(BrokerFault) {
        var properties: OpaquePointer?
        defer { mosquitto_property_free_all(&properties) }
        mosquitto_property_add_int32(
            &properties, MQTT_PROP_SESSION_EXPIRY_INTERVAL.code, address.sessionSeconds)
        mosquitto_property_add_int32(&properties, MQTT_PROP_MAXIMUM_PACKET_SIZE.code, address.packetLimit)
        let result = mosquitto_connect_bind_v5(
            client, address.host, Int32(clamping: address.port), Int32(clamping: address.keepAliveSeconds), nil,
            properties)
        guard result == MOSQ_ERR_SUCCESS.code else { throw fault(result) }
        isOpen = true
    }

    /// Reads and writes what is possible without waiting, and returns what happened.
    public func process() -> [BrokerEvent] {
        inbox.events.removeAll(keepingCapacity: true)
        var result = mosquitto_loop_read(client, 1)
        if result == MOSQ_ERR_SUCCESS.code, wantsToWrite { result = mosquitto_loop_write(client, 1) }
        if result == MOSQ_ERR_SUCCESS.code { result = mosquitto_loop_misc(client) }
        if result != MOSQ_ERR_SUCCESS.code { end(fault(result)) }
        return inbox.events
    }

    /// Publishes a message at least once.
    public func publish(_ message: Publication) -> PublishResult {
        guard isOpen else { return .lost }
        var properties: OpaquePointer?
        defer { mosquitto_property_free_all(&properties) }
        if !message.correlation.isEmpty {
            message.correlation.withUnsafeBytes {
                _ = mosquitto_property_add_binary(
                    &properties, MQTT_PROP_CORRELATION_DATA.code, $0.baseAddress, UInt16(clamping: $0.count))
            }
        }
        var number: Int32 = 0
        let result = message.payload.withUnsafeBytes {
            mosquitto_publish_v5(
                client, &number, message.topic, Int32(clamping: $0.count), $0.baseAddress, 1, message.isRetained,
                properties)
        }
        switch result {
        case MOSQ_ERR_SUCCESS.code: return .sent(number: number)
        case MOSQ_ERR_OVERSIZE_PACKET.code, MOSQ_ERR_PAYLOAD_SIZE.code: return .tooLarge
        default: return .lost
        }
    }

    /// Subscribes to a topic with at-least-once delivery.
    ///
    /// A message that the broker keeps is marked as such also when it arrives at once.
    public func subscribe(_ topic: String) {
        let option = Int32(truncatingIfNeeded: MQTT_SUB_OPT_RETAIN_AS_PUBLISHED.rawValue)
        mosquitto_subscribe_v5(client, nil, topic, 1, option, nil)
    }

    /// Says goodbye: the broker does not publish the will.
    public func disconnect() { mosquitto_disconnect_v5(client, 0, nil) }

    private func end(_ fault: BrokerFault) {
        guard isOpen else { return }
        isOpen = false
        if !inbox.events.contains(where: { if case .ended = $0 { true } else { false } }) {
            inbox.events.append(.ended(fault))
        }
    }

    private func setCertificates(_ tls: BrokerAddress.Certificates) throws(BrokerFault) {
        let result = mosquitto_tls_set(
            client, tls.authorityFile, tls.authorityFile == nil ? "/etc/ssl/certs" : nil, tls.certificateFile,
            tls.keyFile, nil)
        let files = [tls.authorityFile, tls.certificateFile, tls.keyFile].compactMap { $0 }
        guard result == MOSQ_ERR_SUCCESS.code else {
            throw BrokerFault(
                .settings, "cannot use the certificates: \(Self.text(result)); check \(files.joined(separator: ", "))")
        }
        mosquitto_tls_opts_set(client, 1, "tlsv1.2", nil)
    }

    // MARK: - Faults

    private static func text(_ result: Int32) -> String { String(cString: mosquitto_strerror(result)) }

    /// The fault of a result of libmosquitto.
    private func fault(_ result: Int32) -> BrokerFault {
        let place = "\(address.host):\(address.port)"
        switch result {
        case MOSQ_ERR_TLS.code, MOSQ_ERR_TLS_HANDSHAKE.code:
            let detail = inbox.error.isEmpty ? Self.text(result) : inbox.error
            return BrokerFault(
                .certificate,
                "\(place): no trusted connection: \(detail); check the certificate, ca_file, the clock, and whether "
                    + "the broker has TLS on this port")
        case MOSQ_ERR_EAI.code:
            return BrokerFault(.network, "\(place): the name of the broker cannot be resolved; check bridge.broker")
        case MOSQ_ERR_ERRNO.code:
            return BrokerFault(.network, "\(place): \(String(cString: strerror(errno)))")
        case MOSQ_ERR_PROTOCOL.code, MOSQ_ERR_MALFORMED_PACKET.code, MOSQ_ERR_OVERSIZE_PACKET.code:
            return BrokerFault(.protocolError, "\(place): the broker broke the protocol: \(Self.text(result))")
        case MOSQ_ERR_CONN_LOST.code where !inbox.isConnected:
            return BrokerFault(
                .refused,
                "\(place): the broker ended the connection before it accepted this client; check tls, the port, and "
                    + "the certificate or login")
        case MOSQ_ERR_KEEPALIVE.code:
            return BrokerFault(.network, "\(place): the broker is silent")
        default:
            return BrokerFault(.network, "\(place): \(Self.text(result))")
        }
    }

    // MARK: - Callbacks

    private func setCallbacks() {
        mosquitto_log_callback_set(client) { _, context, level, text in
            guard let inbox = BrokerConnection.inbox(context), let text, level == MOSQ_LOG_ERR else { return }
            let line = String(cString: text)
            if line.contains("rror") { inbox.error = line }
        }
        mosquitto_connect_v5_callback_set(client) { _, context, reason, _, _ in
            guard let inbox = BrokerConnection.inbox(context) else { return }
            let code = UInt8(truncatingIfNeeded: reason)
            inbox.isConnected = code == 0
            if code == 0 {
                inbox.events.append(.connected)
            } else {
                let text = "the broker refuses this client: \(ReasonCode.text(code))"
                inbox.events.append(.ended(BrokerFault(.refused, text)))
            }
        }
        mosquitto_disconnect_v5_callback_set(client) { _, context, reason, _ in
            // Codes of MQTT 5 that the broker sent; the others are results of the library, which process() returns.
            guard let inbox = BrokerConnection.inbox(context), (0x80...0xFF).contains(reason) else { return }
            let code = UInt8(truncatingIfNeeded: reason)
            let text = "the broker ended the connection: \(ReasonCode.text(code))"
            inbox.events.append(.ended(BrokerFault(.refused, text)))
        }
        mosquitto_publish_v5_callback_set(client) { _, context, number, reason, _ in
            BrokerConnection.inbox(context)?.events.append(
                .acknowledged(number: number, reason: UInt8(truncatingIfNeeded: reason)))
        }
        mosquitto_subscribe_v5_callback_set(client) { _, context, _, count, granted, _ in
            guard let granted, count > 0, granted[0] >= 0x80 else { return }
            BrokerConnection.inbox(context)?.events.append(
                .subscriptionRefused(reason: UInt8(truncatingIfNeeded: granted[0])))
        }
        mosquitto_message_v5_callback_set(client) { _, context, message, properties in
            guard let message, let delivery = BrokerConnection.delivery(message.pointee, properties) else { return }
            BrokerConnection.inbox(context)?.events.append(.delivered(delivery))
        }
    }

    private static func inbox(_ context: UnsafeMutableRawPointer?) -> Inbox? {
        context.map { Unmanaged<Inbox>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func delivery(_ message: mosquitto_message, _ properties: OpaquePointer?) -> Delivery? {
        guard let topic = message.topic else { return nil }
        var delivery = Delivery(
            topic: String(cString: topic),
            payload: Array(UnsafeRawBufferPointer(start: message.payload, count: max(0, Int(message.payloadlen)))),
            isRetained: message.retain)
        var text: UnsafeMutablePointer<CChar>?
        if mosquitto_property_read_string(properties, MQTT_PROP_RESPONSE_TOPIC.code, &text, false) != nil {
            delivery.responseTopic = text.map { String(cString: $0) }
        }
        free(text)
        var bytes: UnsafeMutableRawPointer?
        var count: UInt16 = 0
        if mosquitto_property_read_binary(properties, MQTT_PROP_CORRELATION_DATA.code, &bytes, &count, false) != nil {
            delivery.correlation = Array(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
        }
        free(bytes)
        return delivery
    }
}

extension mosq_err_t {
    /// The number that the functions return.
    fileprivate var code: Int32 { rawValue }
}

extension mqtt5_property {
    /// The number that the functions take.
    fileprivate var code: Int32 { Int32(truncatingIfNeeded: rawValue) }
}
