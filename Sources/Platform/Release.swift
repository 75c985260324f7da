/// Which release of the project this is.
package enum Release {
    /// Its number, as in the change log.
    package static let version = "0.1.0"
}
