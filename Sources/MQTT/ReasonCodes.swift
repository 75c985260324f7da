/// The reason codes of MQTT 5 (chapter 2.4 of the standard).
public enum ReasonCode {
    /// The meaning of a code, for people.
    public static func text(_ code: UInt8) -> String {
        switch code {
        case 0x80: "unspecified error"
        case 0x81: "malformed packet"
        case 0x82: "protocol error"
        case 0x83: "implementation specific error"
        case 0x84: "the broker does not support MQTT 5"
        case 0x85: "this client id is not allowed"
        case 0x86: "wrong user name or password"
        case 0x87: "not authorised"
        case 0x88: "the broker is not available"
        case 0x89: "the broker is busy"
        case 0x8A: "this client is banned"
        case 0x8B: "the broker shuts down"
        case 0x8D: "the broker heard nothing for too long"
        case 0x8E: "another client connected with the same id"
        case 0x90: "the topic is not allowed"
        case 0x93: "more messages on their way than the broker takes"
        case 0x95: "the message is too large for the broker"
        case 0x96: "too many messages"
        case 0x97: "a quota of the broker is exceeded"
        case 0x99: "the payload has another format than it says"
        case 0x9A: "the broker does not retain messages"
        case 0x9B: "the broker takes no message at least once (QoS 1)"
        case 0x9C, 0x9D: "another broker must be used"
        case 0x9F: "too many connections"
        case 0xA0: "the broker ends connections after some time"
        default: "reason 0x\(String(code, radix: 16))"
        }
    }

    /// The code of a message that is too large.
    public static let tooLarge: UInt8 = 0x95

    /// Whether a message that was refused with this code would be refused again, whatever the broker's state is: it is
    /// malformed or too large. Otherwise it waits until the broker accepts it.
    public static func isPermanent(_ code: UInt8) -> Bool { [0x81, 0x82, 0x90, tooLarge, 0x99].contains(code) }
}
