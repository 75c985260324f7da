import Configuration
import Files
import Glibc
import SavedState

/// Reads the folder of the saved state.
struct StateCollector {
    let files: SystemFiles

    /// systemd's folder for the state of the service.
    private static let serviceFolder = "/var/lib/posed"
    /// Most files that are examined.
    private static let fileLimit = 64

    /// What a user can write, bytes: only the superuser can use the blocks that the file system reserves.
    static func freeBytes(_ disk: statvfs, for user: UserFacts) -> UInt64 {
        let blocks = user.id == 0 ? disk.f_bfree : disk.f_bavail
        return UInt64(blocks).multipliedReportingOverflow(by: UInt64(disk.f_frsize)).partialValue
    }

    /// Examines the folder of the settings, else that of the service. A daemon that a person starts beside the service
    /// has no folder without the settings, and that of the service is none of its business.
    func collect(_ settings: StateSettings, daemonUser: UserFacts, isService: Bool) -> StateFacts {
        var facts = StateFacts()
        guard settings.keepsMount else { return facts }
        let plain = SystemFiles(root: "")
        if let folder = settings.folder {
            facts.path = folder
        } else if isService || daemonUser.name == "posed", files.exists(Self.serviceFolder) {
            facts.path = files.path(Self.serviceFolder)
        }
        guard let path = facts.path else { return facts }
        facts.folder = plain.facts(path)
        facts.isHidden = facts.folder == nil && SystemFiles.isHidden(path)
        var disk = statvfs()
        if facts.folder != nil, statvfs(path, &disk) == 0 {
            facts.isReadOnly = disk.f_flag & UInt(ST_RDONLY) != 0
            facts.freeBytes = Self.freeBytes(disk, for: daemonUser)
        }
        let names = plain.entries(path).filter { $0.hasSuffix(".json") }
        for name in names.prefix(Self.fileLimit) {
            if let file = plain.facts("\(path)/\(name)") { facts.files.append(file) }
            guard let bytes = try? RegularFile("\(path)/\(name)").bytes(count: SavedFile.longest + 1),
                let problem = SavedFile.problem(name: name, bytes: bytes)
            else { continue }
            facts.damaged.append(("\(path)/\(name)", problem))
        }
        return facts
    }
}
