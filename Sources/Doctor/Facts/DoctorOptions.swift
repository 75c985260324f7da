/// Where to look.
package struct DoctorOptions: Sendable {
    /// A folder in front of /sys, /proc, /etc, /dev and /usr, for tests; empty: this machine.
    package var root = ""
    /// The settings file; `nil`: the default file, if it exists.
    package var config: String?
    /// The folder of the sockets; `nil`: that of the settings.
    package var folder: String?

    /// This machine with its default settings.
    package init() {}
}
