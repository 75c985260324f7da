import Configuration
import Publishing

extension ClientLimits {
    /// The client limits from the settings.
    init(_ settings: PublishingSettings) {
        self.init(
            clients: settings.clientLimit, heldBytes: settings.heldMebibytes << 20,
            slowClientSeconds: settings.slowClientSeconds)
    }
}
