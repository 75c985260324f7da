/// The running daemon.
public enum Daemon {
    /// Runs until it is told to stop; returns the exit code. `reload` tells where SIGHUP finds the settings.
    public static func run(_ loaded: LoadedSettings, reload: SettingsSources) -> Int32 {
        0
    }
}
