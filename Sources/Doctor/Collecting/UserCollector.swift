import Glibc
import Platform

/// Users and groups from the files of the system.
struct UserCollector: Sendable {
    private let files: SystemFiles
    private let users: [(name: String, id: UInt32, group: UInt32)]
    private let groups: [(name: String, id: UInt32, members: [String])]

    /// Reads the files.
    init(files: SystemFiles) {
        self.files = files
        func fields(_ path: String) -> [[String]] {
            (files.text(path) ?? "").split(separator: "\n").map {
                $0.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
            }
        }
        users = fields("/etc/passwd").compactMap { line in
            guard line.count > 3, let id = UInt32(line[2]), let group = UInt32(line[3]) else { return nil }
            return (line[0], id, group)
        }
        groups = fields("/etc/group").compactMap { line in
            guard line.count > 3, let id = UInt32(line[2]) else { return nil }
            return (line[0], id, line[3].split(separator: ",").map(String.init))
        }
    }

    /// Names of the groups by id.
    var groupNames: [UInt32: String] { Dictionary(groups.map { ($0.id, $0.name) }, uniquingKeysWith: { a, _ in a }) }

    /// Whether a group exists, by name or number.
    func hasGroup(_ name: String) -> Bool { UInt32(name) != nil || groups.contains { $0.name == name } }

    /// A user by id; one without an entry has only the groups of this process.
    func user(id: UInt32) -> UserFacts {
        guard let entry = users.first(where: { $0.id == id }) else {
            return UserFacts(name: UserDatabase.user(id: id), id: id, groups: UserDatabase.processGroups)
        }
        let listed = groups.filter { $0.members.contains(entry.name) }.map(\.id)
        return UserFacts(name: entry.name, id: id, groups: Set([entry.group] + listed))
    }

    /// The user of the daemon: that of its process, else the user posed, else this user.
    func daemonUser(process: Int32?) -> UserFacts {
        if let process, let status = SystemFiles(root: "").text("/proc/\(process)/status") {
            func numbers(_ key: String) -> [UInt32] {
                let line = status.split(separator: "\n").first { $0.hasPrefix(key) } ?? ""
                return line.dropFirst(key.count).split(whereSeparator: \.isWhitespace).compactMap { UInt32($0) }
            }
            let (ids, groups) = (numbers("Uid:"), numbers("Gid:") + numbers("Groups:"))
            if ids.count > 1 { return UserFacts(name: user(id: ids[1]).name, id: ids[1], groups: Set(groups)) }
        }
        return user(id: users.first { $0.name == "posed" }?.id ?? geteuid())
    }
}
