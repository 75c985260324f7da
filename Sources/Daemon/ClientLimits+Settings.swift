import Configuration
import Publishing

extension ClientLimits {
    /// The limits as they are set.
    init(_ settings: PublishingSettings) {
        self.init(
            clients: settings.clientLimit, heldBytes: settings.heldMebibytes << 20,
            slowClientSeconds: settings.slowClientSeconds)
    }
}
