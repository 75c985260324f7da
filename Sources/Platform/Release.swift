/// The release of this project.
package enum Release {
    /// The version number, as in CHANGELOG.md.
    package static let version = "0.1.0"
}
