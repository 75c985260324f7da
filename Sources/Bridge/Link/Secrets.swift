import Files
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
