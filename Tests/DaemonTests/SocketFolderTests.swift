import Testing

@testable import Daemon

/// What to do where the sockets' folder cannot be used.
@Suite struct SocketFolderTests {
    @Test func anOrdinaryUserIsToldOfTheServiceAndOfAnOwnFolder() {
        let remedy = SocketFolder.remedy(path: "/run/posed", user: 1000, userFolder: "/run/user/1000")
        #expect(remedy.contains("sudo systemctl start posed"))
        #expect(remedy.contains("posed --set sockets.folder=/run/user/1000/posed"))
        #expect(remedy.hasSuffix("posectl --folder /run/user/1000/posed"))
        // without a folder of the user
        #expect(SocketFolder.remedy(path: "/run/posed", user: 1000, userFolder: nil).contains("=/tmp/posed"))
    }

    @Test func otherFoldersAndRootAreToldOfTheSetting() {
        for (path, user) in [("/run/posed", UInt32(0)), ("/home/alice/x", 1000)] {
            #expect(
                SocketFolder.remedy(path: path, user: user, userFolder: nil)
                    == "create it, or set sockets.folder to one that may be written to")
        }
    }
}
