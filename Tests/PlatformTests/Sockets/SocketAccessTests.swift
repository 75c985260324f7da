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

    @Test func namesOfUsersAndGroups() {
        #expect(UserDatabase.user(id: 0) == "root" && UserDatabase.group(id: 0).name == "root")
        #expect(UserDatabase.user(id: 3_999_999_999) == "3999999999")
        #expect(!UserDatabase.processGroups.isEmpty)
    }
}
