import Configuration
import Publishing

extension ClientLimits {
    /// The client limits from the settings.
    init(_ settings: PublishingSettings) {
        self.init(
            clients: settings.clientLimit, heldBytes: settings.heldBytes,
            slowClientSeconds: settings.slowClientSeconds)
    }
}
