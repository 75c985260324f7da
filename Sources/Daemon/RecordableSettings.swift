import Configuration
import DriveRecording
import Synchronization

/// The settings in force, as recordings contain them: the socket thread changes them, the recorder's thread reads them.
final class RecordableSettings: Sendable {
    private let loaded: Mutex<LoadedSettings>

    /// The settings at the start.
    init(_ loaded: LoadedSettings) { self.loaded = Mutex(loaded) }

    /// Replaces them after a reload.
    func use(_ loaded: LoadedSettings) { self.loaded.withLock { $0 = loaded } }

    /// The settings for a recording, whole or without what tells the place.
    func recorded(isPrivate: Bool) -> RecordedSettings {
        SettingsWriter.recorded(loaded.withLock { $0 }, isPrivate: isPrivate)
    }
}
