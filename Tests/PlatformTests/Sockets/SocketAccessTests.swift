import Glibc
import Platform
import Testing

/// Why a user may not connect, with the command that changes it.
@Suite struct SocketAccessTests {
    private func facts(mode: UInt32 = 0o660, group: UInt32 = 990) -> SocketAccess.Facts {
        SocketAccess.Facts(
            user: "alice", groups: [1000], owner: group == 0 ? "root" : "posed", groupId: group,
            groupName: group == 0 ? "root" : "posed", mode: mode)
    }

    private func text(_ facts: SocketAccess.Facts) -> String {
        SocketAccess(facts, path: "/run/posed/stream").explanation
    }

    @Test func aStrangerJoinsTheGroup() {
        #expect(
            text(facts()) == "access is denied: the socket is for members of group posed, and alice is none; "
                + "run `sudo usermod -aG posed alice && newgrp posed`")
    }

    @Test func aMemberSinceThisLoginNeedsAnotherOne() {
        var facts = facts()
        facts.isListedMember = true
        #expect(
            text(facts) == "access is denied: alice joined group posed after this login; run `newgrp posed`")
    }

    @Test func aClosedSocketOrFolderNeedsItsMode() {
        // No group helps where the group has no rights, and nobody should join the group root.
        #expect(text(facts(mode: 0o600)).contains("only for user posed (mode 0600, group posed)"))
        #expect(text(facts(group: 0)).contains("sudo posed --set sockets.group=posed"))
        var folder = facts(mode: 0o700)
        folder.closedFolder = "/run/posed"
        #expect(text(folder).hasSuffix("run `sudo chmod o+x /run/posed`"))
        folder.mode = 0o750
        #expect(text(folder).contains("folder /run/posed is for members of group posed"))
    }

    @Test func theFirstFolderThatIsClosedIsFound() async {
        // GIVEN a process whose user may not enter a folder, with another folder and a socket in it THEN the outer one
        // is named, with its mode
        await #expect(processExitsWith: .success) {
            var template = Array("/tmp/posed-closed-XXXXXX".utf8CString)
            guard let made = mkdtemp(&template) else { exit(9) }
            let folder = String(cString: made)
            let isRoot = geteuid() == 0
            // The kernel asks whether the real user may enter.
            if isRoot { #expect(setreuid(65_534, 0) == 0) } else { #expect(chmod(folder, 0o600) == 0) }
            let access = SocketAccess(path: "\(folder)/run/socket")
            #expect(access.reason.hasPrefix("access is denied: folder \(folder) is only for user "))
            #expect(access.reason.contains(isRoot ? " (mode 0700, group " : " (mode 0600, group "))
            #expect(access.command == "sudo chmod o+x \(folder)")
            rmdir(folder)
        }
    }

    @Test(
        arguments: [(0o660, true), (0o670, true), (0o640, false), (0o620, false), (0o606, false)] as [(UInt32, Bool)])
    func aSocketNeedsToBeReadAndWrittenByItsGroup(mode: UInt32, isForGroup: Bool) {
        #expect(text(facts(mode: mode)).contains("for members of group posed") == isForGroup)
        // Nobody needs a new login who has the group already.
        var member = facts(mode: mode)
        (member.isListedMember, member.groups) = (true, [1000, 990])
        #expect(!text(member).contains("after this login"))
    }

    @Test(arguments: [(0o710, true), (0o750, true), (0o760, false), (0o701, false)] as [(UInt32, Bool)])
    func aFolderNeedsToBeEnteredByItsGroup(mode: UInt32, isForGroup: Bool) {
        var folder = facts(mode: mode)
        folder.closedFolder = "/run/posed"
        #expect(text(folder).contains("folder /run/posed is for members of group posed") == isForGroup)
    }

    @Test func theModeIsThatOfTheOwner() {
        // GIVEN a socket of root, or of another user, that is closed for its group THEN root's gets a group, and the
        // other one a mode
        #expect(text(facts(mode: 0o600)).hasSuffix("run `sudo posed --set sockets.mode='\"0660\"'`"))
        var root = facts(mode: 0o600)
        root.owner = "root"
        #expect(text(root).hasSuffix("run `sudo posed --set sockets.group=posed`"))
    }

    @Test func namesOfUsersAndGroups() {
        #expect(UserDatabase.user(id: 0) == "root" && UserDatabase.group(id: 0).name == "root")
        #expect(UserDatabase.user(id: 3_999_999_999) == "3999999999")
        #expect(!UserDatabase.processGroups.isEmpty)
    }
}
