import Glibc

/// Why this user may not connect to a Unix socket, and the command that changes it.
package struct SocketAccess: Sendable, Equatable {
    /// What is known of the socket and the user.
    package struct Facts: Sendable, Equatable {
        /// Name of the user.
        package var user: String
        /// Ids of the groups of this process.
        package var groups: Set<UInt32>
        /// Whether the user is a member of the socket's group in the group database.
        package var isListedMember = false
        /// The first folder of the path that may not be entered; `nil` if all may.
        package var closedFolder: String?
        /// Owner of the socket or of the closed folder, and its group: id and name.
        package var owner: String
        package var groupId: UInt32
        package var groupName: String
        /// Permission bits of the socket or of the closed folder.
        package var mode: UInt32

        /// Creates facts.
        package init(
            user: String, groups: Set<UInt32>, owner: String, groupId: UInt32, groupName: String, mode: UInt32
        ) {
            self.user = user
            self.groups = groups
            self.owner = owner
            self.groupId = groupId
            self.groupName = groupName
            self.mode = mode
        }
    }

    /// The reason.
    package let reason: String
    /// The command that changes it.
    package let command: String

    /// The reason and the command in one sentence.
    package var explanation: String { "\(reason); run `\(command)`" }

    /// Examines a path to which connecting was denied (EACCES).
    package init(path: String) { self.init(Self.facts(path: path), path: path) }

    /// Judges facts.
    package init(_ facts: Facts, path: String) {
        let place = facts.closedFolder.map { "folder \($0)" } ?? "the socket"
        // Connecting needs to write; a folder needs to be searched.
        let groupBits: UInt32 = facts.closedFolder == nil ? 0o060 : 0o010
        if facts.mode & groupBits != groupBits || facts.groupId == 0 {
            let bits = String(facts.mode & 0o777, radix: 8)
            reason =
                "access is denied: \(place) is only for user \(facts.owner) (mode 0\(bits), group \(facts.groupName))"
            command =
                facts.closedFolder.map { "sudo chmod o+x \($0)" }
                ?? (facts.owner == "root"
                    ? "sudo posed --set sockets.group=posed" : "sudo posed --set sockets.mode='\"0660\"'")
        } else if facts.isListedMember, !facts.groups.contains(facts.groupId) {
            reason = "access is denied: \(facts.user) joined group \(facts.groupName) after this login"
            command = "newgrp \(facts.groupName)"
        } else {
            reason =
                "access is denied: \(place) is for members of group \(facts.groupName), and \(facts.user) is none"
            command = "sudo usermod -aG \(facts.groupName) \(facts.user) && newgrp \(facts.groupName)"
        }
    }

    /// Why a program could not connect to the daemon's socket, and what to do.
    ///
    /// - Parameters:
    ///   - code: what connecting left in `errno`.
    ///   - option: the option of the program that names the socket or its folder, such as `--socket`.
    package static func refusal(code: Int32, path: String, option: String) -> String {
        switch code {
        case ENOENT:
            "the socket does not exist; start posed (sudo systemctl start posed), or name its \(option.dropFirst(2)) "
                + "(\(option))"
        case ECONNREFUSED: "no process listens on the socket; start posed (sudo systemctl start posed)"
        case ENAMETOOLONG: "the path is too long for a socket; set a shorter one with \(option)"
        case EACCES: SocketAccess(path: path).explanation
        default: String(cString: strerror(code))
        }
    }

    private static func facts(path: String) -> Facts {
        var closed: String?
        var folder = path.hasPrefix("/") ? "" : "."
        for part in path.split(separator: "/").dropLast() {
            folder += "/\(part)"
            if access(folder, X_OK) != 0, errno == EACCES {
                closed = folder
                break
            }
        }
        var information = stat()
        _ = stat(closed ?? path, &information)
        let user = UserDatabase.user(id: geteuid())
        let group = UserDatabase.group(id: information.st_gid)
        var facts = Facts(
            user: user, groups: UserDatabase.processGroups, owner: UserDatabase.user(id: information.st_uid),
            groupId: information.st_gid, groupName: group.name, mode: information.st_mode & 0o777)
        facts.closedFolder = closed
        facts.isListedMember = group.members.contains(user)
        return facts
    }
}

/// Names of users and groups.
package enum UserDatabase {
    /// The name of a user; the number without an entry.
    package static func user(id: UInt32) -> String {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16_384)
        guard getpwuid_r(id, &entry, &buffer, buffer.count, &found) == 0, found != nil, let name = entry.pw_name
        else { return String(id) }
        return String(cString: name)
    }

    /// The name of a group, its number without an entry, and its listed members.
    package static func group(id: UInt32) -> (name: String, members: [String]) {
        var entry = Glibc.group()
        var found: UnsafeMutablePointer<Glibc.group>?
        var buffer = [CChar](repeating: 0, count: 65_536)
        guard getgrgid_r(id, &entry, &buffer, buffer.count, &found) == 0, found != nil, let name = entry.gr_name
        else { return (String(id), []) }
        var members: [String] = []
        var next = entry.gr_mem
        while let place = next, let member = place.pointee {
            members.append(String(cString: member))
            next = place.advanced(by: 1)
        }
        return (String(cString: name), members)
    }

    /// The groups of this process.
    package static var processGroups: Set<UInt32> {
        var groups = [gid_t](repeating: 0, count: 65_536)
        let count = getgroups(Int32(groups.count), &groups)
        return Set(groups.prefix(max(0, Int(count))) + [getegid()])
    }
}
