import Files
import Glibc
import MQTT
import Platform

/// Files with secrets, which the service manager may pass (LoadCredential=).
package enum Secrets {
    /// The path of a file that the settings name: an absolute path, or the name of a credential.
    package static func path(_ name: String) -> String {
        guard !name.hasPrefix("/"), let folder = ProcessEnvironment.current["CREDENTIALS_DIRECTORY"] else {
            return name
        }
        return "\(folder)/\(name)"
    }

    /// The path of a file that a key of the section bridge names, if this program can read it.
    static func readable(_ name: String, key: String) throws(BrokerFault) -> String {
        let path = path(name)
        guard access(path, R_OK) != 0 else { return path }
        let reason = String(cString: strerror(errno))
        let remedy =
            name.hasPrefix("/")
            ? "check the path and the rights of the file"
            : "a name without a slash is a credential of systemd: pass it by LoadCredential="
        throw BrokerFault(.settings, "bridge.\(key): \(path): \(reason); \(remedy)")
    }

    /// User and password of a file: its first two lines.
    static func login(_ name: String) throws(BrokerFault) -> BrokerAddress.Login {
        let path = path(name)
        let bytes: [UInt8]
        do throws(FileFault) {
            bytes = try RegularFile(path).bytes(count: 4096)
        } catch { throw BrokerFault(.settings, "bridge.login_file: \(path) \(error)") }
        let lines = String(decoding: bytes, as: UTF8.self).split(
            omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        guard lines.count >= 2, !lines[0].isEmpty, !lines[1].isEmpty else {
            throw BrokerFault(
                .settings, "bridge.login_file: \(path) needs the user in its first line and the password in its second")
        }
        return BrokerAddress.Login(user: String(lines[0]), password: String(lines[1]))
    }
}
