import Files
import Foundation
import Testing

/// A file is replaced atomically, or not at all.
@Suite struct AtomicFileTests {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    private var target: String { folder.path + "/a" }

    private func write(_ bytes: [UInt8], _ file: borrowing AtomicFile, at offset: Int? = nil) throws(FileFault) {
        try bytes.span.withUnsafeBytes { content throws(FileFault) in
            try FileTransfer.write(content, to: file.descriptor, at: offset)
        }
    }

    @Test func replaceSetsTheNewContent() throws {
        // GIVEN no file WHEN written twice THEN the file has the second content, and there is no other file
        try AtomicFile.replace(target, with: [1, 2, 3], permissions: 0o600)
        #expect(folder.content("a") == [1, 2, 3])
        try AtomicFile.replace(target, with: [4], permissions: 0o600)
        #expect(folder.content("a") == [4])
        #expect(folder.names == ["a"])
    }

    @Test func theOldContentStaysUntilTheCommit() throws {
        try AtomicFile.replace(target, with: [1], permissions: 0o600)
        // GIVEN new content that is written in parts, at offsets and in sequence
        var file = try AtomicFile(replacing: target, permissions: 0o600)
        try write([7, 7], file)
        try write([8], file, at: 3)
        try file.setSize(5)
        // THEN the file has the old content until the commit, and then all of the new one
        #expect(folder.content("a") == [1])
        try file.commit()
        #expect(folder.content("a") == [7, 7, 0, 8, 0])
    }

    @Test func uncommittedContentIsRemoved() throws {
        try AtomicFile.replace(target, with: [1], permissions: 0o600)
        // GIVEN new content WHEN it is discarded THEN the file has the old content, and there is no other file
        do {
            let file = try AtomicFile(replacing: target, permissions: 0o600)
            try write([2], file)
            #expect(folder.names.count == 2)
        }
        #expect(folder.names == ["a"] && folder.content("a") == [1])
    }

    @Test func aFailedWriteKeepsTheOldContent() throws {
        try AtomicFile.replace(target, with: [1], permissions: 0o600)
        // GIVEN a size that no file can have WHEN set THEN an error is thrown, and the old content stays
        #expect(throws: FileFault.notWritten(EINVAL)) {
            let file = try AtomicFile(replacing: self.target, permissions: 0o600)
            try file.setSize(-1)
        }
        // GIVEN a folder that replaced the file meanwhile WHEN committed THEN an error is thrown, and the folder stays
        #expect(throws: FileFault.notReplaced(EISDIR)) {
            var file = try AtomicFile(replacing: self.folder.path + "/b", permissions: 0o600)
            try FileManager.default.createDirectory(atPath: self.folder.path + "/b", withIntermediateDirectories: false)
            try file.commit()
        }
        #expect(folder.names == ["a", "b"] && folder.content("a") == [1])
    }

    @Test func onlyRegularFilesAreReplaced() throws {
        // GIVEN a device, a link to it, a pipe and a folder WHEN each is to be replaced THEN an error is thrown and it
        // stays
        #expect(mkfifo(folder.path + "/pipe", 0o600) == 0)
        #expect(symlink("/dev/null", folder.path + "/link") == 0)
        for path in ["/dev/null", folder.path + "/link", folder.path + "/pipe"] {
            #expect(throws: FileFault.notRegular(isFolder: false), "\(path)") {
                try AtomicFile.replace(path, with: [1], permissions: 0o600)
            }
        }
        #expect(throws: FileFault.notRegular(isFolder: true)) {
            try AtomicFile.replace(self.folder.path, with: [1], permissions: 0o600)
        }
        #expect(folder.names == ["link", "pipe"])
    }

    @Test func aFolderWithTheTemporaryNameIsReported() throws {
        // GIVEN a folder with the name of the temporary file THEN the error names that, not another program
        try FileManager.default.createDirectory(atPath: target + ".new", withIntermediateDirectories: false)
        #expect(throws: FileFault.notMade(EISDIR)) {
            try AtomicFile.replace(self.target, with: [1], permissions: 0o600)
        }
        #expect(folder.names == ["a.new"])
    }

    @Test func aLinkWithTheTemporaryNameIsRemoved() throws {
        #expect(symlink("/dev/null", target + ".new") == 0)
        try AtomicFile.replace(target, with: [1], permissions: 0o600)
        #expect(folder.content("a") == [1] && folder.names == ["a"])
    }

    @Test func aRenamedTemporaryFileReplacesNothing() throws {
        try AtomicFile.replace(target, with: [1], permissions: 0o600)
        // GIVEN new content whose name now belongs to another file WHEN committed THEN the old content stays
        #expect(throws: FileFault.notReplaced(ENOENT)) {
            var file = try AtomicFile(replacing: self.target, permissions: 0o600)
            #expect(rename(self.target + ".new", self.folder.path + "/elsewhere") == 0)
            #expect(FileManager.default.createFile(atPath: self.target + ".new", contents: Data([9])))
            try file.commit()
        }
        #expect(folder.content("a") == [1])
    }

    @Test func aMissingFolderIsReported() {
        #expect(throws: FileFault.notMade(ENOENT)) {
            try AtomicFile.replace("/nonexistent/a", with: [1], permissions: 0o600)
        }
    }

    @Test func permissionsAreAsRequested() throws {
        // GIVEN no file THEN the file has the requested permissions, which no usual umask reduces
        try AtomicFile.replace(target, with: [1], permissions: 0o600)
        #expect(folder.permissions("a") == 0o600)
        // GIVEN a file that everyone may write WHEN its permissions are kept THEN they stay for any umask; otherwise
        // the file has the requested permissions
        #expect(chmod(target, 0o666) == 0)
        var kept = try AtomicFile(replacing: target, permissions: 0o600, keepsPermissions: true)
        try kept.commit()
        #expect(folder.permissions("a") == 0o666)
        try AtomicFile.replace(target, with: [1], permissions: 0o600)
        #expect(folder.permissions("a") == 0o600)
    }

    @Test func leftoversOfAKilledProcessAreReplaced() throws {
        // GIVEN a left-over file, a pipe, or a link WHEN the file is written THEN it has the new content, and there is
        // no other file
        #expect(mkfifo("\(target).new", 0o600) == 0)
        try AtomicFile.replace(target, with: [3], permissions: 0o600)
        #expect(folder.names == ["a"] && folder.content("a") == [3])
        #expect(symlink("/nonexistent/b", "\(target).new") == 0)
        try AtomicFile.replace(target, with: [4], permissions: 0o600)
        #expect(folder.names == ["a"] && folder.content("a") == [4])
    }

    @Test func aSecondWriterIsRefused() throws {
        // GIVEN new content in progress WHEN another writer starts THEN it gets an error, and the first is not
        // disturbed
        var first = try AtomicFile(replacing: target, permissions: 0o600)
        #expect(throws: FileFault.busy) { try AtomicFile.replace(target, with: [2], permissions: 0o600) }
        try write([1], first)
        try first.commit()
        #expect(folder.content("a") == [1])
        // THEN the next writer is accepted once the first has ended
        try AtomicFile.replace(target, with: [3], permissions: 0o600)
        #expect(folder.content("a") == [3])
    }

    @Test func theFolderOfAPath() {
        for (path, folder) in [("a", "."), ("/a", "/"), ("b/a", "b"), ("/c/b/a", "/c/b"), ("b/", "b")] {
            #expect(AtomicFile.folder(of: path) == folder)
        }
    }
}
