/// Which release of the project this is.
public enum Release {
    /// Its number, as in the change log.
    public static let version = "0.1.0"
}
