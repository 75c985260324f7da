import Glibc
import Testing

@testable import Files

@Suite struct FolderTests {
    @Test func aFolderIsCreatedOnce() throws {
        // GIVEN no folder WHEN it is created THEN it has its permissions, which no usual umask reduces
        let folder = try TestFolder()
        try Folder.create("\(folder.path)/new", permissions: 0o700)
        #expect(folder.permissions("new") == 0o700)
        // AND WHEN it is created again THEN it and what is in it stay as they are
        try AtomicFile.replace("\(folder.path)/new/file", with: [1], permissions: 0o600)
        try Folder.create("\(folder.path)/new", permissions: 0o750)
        #expect(folder.permissions("new") == 0o700)
        #expect(folder.content("new/file") == [1])
    }

    @Test func aLinkToAFolderIsOne() throws {
        // GIVEN a link to a folder WHEN that is created THEN it is as good as the folder
        let folder = try TestFolder()
        #expect(symlink(folder.path, "\(folder.path)/link") == 0)
        try Folder.create("\(folder.path)/link", permissions: 0o700)
        #expect(folder.names == ["link"])
    }

    @Test func whatCannotBeCreatedIsTold() throws {
        // GIVEN a file, a link to nothing, a folder without a parent and one below a file THEN the reason is told
        let folder = try TestFolder()
        try AtomicFile.replace("\(folder.path)/file", with: [1], permissions: 0o600)
        #expect(symlink("/nowhere", "\(folder.path)/link") == 0)
        for (name, reason) in [
            ("file", FileFault.notFolder), ("link", .notFolder), ("none/below", .notMade(ENOENT)),
            ("file/below", .notMade(ENOTDIR)),
        ] {
            #expect(throws: reason, "\(name)") {
                try Folder.create("\(folder.path)/\(name)", permissions: 0o700)
            }
        }
        #expect(folder.names == ["file", "link"] && folder.content("file") == [1])
        #expect(FileFault.notFolder.description == "is not a folder; remove it, or name another folder")
    }
}
