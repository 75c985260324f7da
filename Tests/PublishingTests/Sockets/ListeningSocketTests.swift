import CSystem
import Frames
import Glibc
import Testing

@testable import Publishing

@Suite struct ListeningSocketTests {
    @Test func theSocketHasItsModeAndGroupAndIsRemoved() async {
        // GIVEN an open umask, the usual one and that of the installed service, in a process of its own, because the
        // umask is the process's; WHEN a socket of mode 0660 is made; THEN it has exactly that, the umask is as it was,
        // and it goes when told.
        await #expect(processExitsWith: .success) {
            let folder = try SocketFolder()
            for mask: mode_t in [0, 0o022, 0o077, 0o777] {
                umask(mask)
                let socket = try ListeningSocket(path: folder.path("frames"), kind: .frames, mode: 0o660, group: nil)
                #expect(umask(mask) == mask)
                #expect(folder.mode("frames") == S_IFSOCK | 0o660)
                #expect(socket.group == getegid())
                socket.removeFile()
                #expect(folder.mode("frames") == nil)
            }
        }
    }

    @Test func whatIsNoSocketIsLeftAlone() throws {
        let folder = try SocketFolder()
        let path = folder.path("stream")
        let file = open(path, O_CREAT | O_WRONLY, 0o600)
        _ = write(file, "precious", 8)
        close(file)
        #expect(throws: SocketError.self) { try ListeningSocket(path: path, kind: .stream, mode: 0o660, group: nil) }
        #expect(folder.mode("stream") == S_IFREG | 0o600)
        // A link to a socket is not accepted either.
        symlink("/nowhere", folder.path("link"))
        #expect(throws: SocketError.self) {
            try ListeningSocket(path: folder.path("link"), kind: .stream, mode: 0o660, group: nil)
        }
    }

    @Test(arguments: [SocketKind.frames, .stream])
    func aLivingSocketIsLeftAloneAndADeadOneReplaced(_ kind: SocketKind) throws {
        let folder = try SocketFolder()
        let path = folder.path("s")
        var first: ListeningSocket? = try ListeningSocket(path: path, kind: kind, mode: 0o600, group: nil)
        for other in [SocketKind.frames, .stream] {
            let error = #expect(throws: SocketError.self) {
                try ListeningSocket(path: path, kind: other, mode: 0o600, group: nil)
            }
            #expect(error?.text.contains("another process") == true)
        }
        #expect(first?.descriptor ?? -1 >= 0)
        // Without removing its file, as after kill -9.
        first = nil
        #expect(folder.mode("s") != nil)
        let second = try ListeningSocket(path: path, kind: kind, mode: 0o600, group: nil)
        second.removeFile()
        #expect(folder.mode("s") == nil)
    }

    @Test func anotherOnesFileIsNotRemoved() throws {
        // GIVEN a socket whose file somebody replaced; WHEN it removes its file; THEN the other file stays.
        let folder = try SocketFolder()
        let socket = try ListeningSocket(path: folder.path("s"), kind: .stream, mode: 0o600, group: nil)
        unlink(folder.path("s"))
        let other = try ListeningSocket(path: folder.path("s"), kind: .stream, mode: 0o600, group: nil)
        socket.removeFile()
        #expect(folder.mode("s") != nil)
        other.removeFile()
    }

    @Test func impossiblePlacesAreNamed() throws {
        let long = "/tmp/" + String(repeating: "x", count: 110)
        for (path, word) in [(long, "107"), ("/nonexistent-folder/s", "folder"), ("", "107")] {
            let error = #expect(throws: SocketError.self) {
                try ListeningSocket(path: path, kind: .frames, mode: 0o660, group: nil)
            }
            #expect(error?.text.contains(word) == true, "\(String(describing: error))")
        }
        let folder = try SocketFolder()
        let error = #expect(throws: SocketError.self) {
            try ListeningSocket(path: folder.path("s"), kind: .frames, mode: 0o660, group: "no-such-group")
        }
        #expect(error?.text.contains("no-such-group") == true)
    }

    @Test func whatFailsLeavesNoFile() throws {
        // GIVEN a group that does not exist WHEN a socket is made THEN it is said, and the file is removed again
        let folder = try SocketFolder()
        let error = #expect(throws: SocketError.self) {
            try ListeningSocket(path: folder.path("s"), kind: .frames, mode: 0o660, group: "no-such-group")
        }
        #expect(error?.text == "group no-such-group does not exist; create it, or set another one")
        #expect(error?.place == folder.path("s") && folder.mode("s") == nil)
        // GIVEN a place that cannot be THEN the remedy of the folder is said
        let other = #expect(throws: SocketError.self) {
            try ListeningSocket(
                path: folder.path("none/s"), kind: .frames, mode: 0o660, group: nil, folderRemedy: "make it")
        }
        #expect(other?.text == "cannot create the socket: No such file or directory; make it")
        close(open(folder.path("link"), O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
        let third = #expect(throws: SocketError.self) {
            try ListeningSocket(
                path: folder.path("link/s"), kind: .frames, mode: 0o660, group: nil, folderRemedy: "make it")
        }
        #expect(third?.text == "Not a directory; make it")
    }

    @Test func aGroupIsTakenByItsNumber() throws {
        // GIVEN the group of this process, or as root any group, by number or name WHEN a socket is made THEN it has it
        let folder = try SocketFolder()
        let own = getegid()
        let wanted = geteuid() == 0 ? [("4242", 4242), ("daemon", 1)] : [(String(own), own)]
        for (name, id) in wanted {
            let socket = try ListeningSocket(path: folder.path("s"), kind: .stream, mode: 0o660, group: name)
            var information = stat()
            #expect(lstat(folder.path("s"), &information) == 0 && information.st_gid == id && socket.group == id)
            // AND one that is passed on has the group of its file
            #expect(ListeningSocket(inherited: dup(socket.descriptor), kind: .stream).group == id)
            socket.removeFile()
        }
    }
}

/// A temporary folder for sockets with a short path.
final class SocketFolder {
    let folder: String

    struct Failure: Error {}

    init() throws {
        var template = Array("/tmp/posed-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Failure() }
        folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit {
        for name in ["frames", "stream", "s", "link", "route.json"] { unlink(path(name)) }
        rmdir(folder)
    }

    func path(_ name: String) -> String { "\(folder)/\(name)" }

    /// Type and permissions; `nil` if the file does not exist.
    func mode(_ name: String) -> mode_t? {
        var information = stat()
        return lstat(path(name), &information) == 0 ? information.st_mode : nil
    }
}
