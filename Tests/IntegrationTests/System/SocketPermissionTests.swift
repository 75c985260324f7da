import Foundation
import Glibc
import Testing

/// The sockets' permissions at every moment of the daemon's life.
@Suite(.serialized) struct SocketPermissionTests {
    @Test(.enabled(if: ExternalProgram.has("strace"), "strace is not installed"))
    func theyAreNeverWiderThanInTheEnd() throws {
        // GIVEN an open umask; WHEN the daemon is started under strace; THEN it gives each socket its mode before it
        // binds it, its group before it listens, and never changes the mode of the file, nor the umask, which is also
        // that of the threads that create files.
        let folder = try TemporaryFolder()
        let trace = "\(folder.path)/trace"
        let process = try ExternalProgram.start(
            "/bin/sh",
            [
                "-c",
                "umask 0; exec strace -f -o '\(trace)' -e "
                    + "trace=bind,listen,umask,chmod,fchmod,fchmodat,lchown,fchownat,chown "
                    + "'\(ExternalProgram.buildFolder)/posed' --source simulated "
                    + "--set sockets.folder='\(folder.path)' --set sockets.mode=0640 --set sockets.group=0",
            ], output: "\(folder.path)/out", errors: "\(folder.path)/log")
        defer { process.kill() }
        #expect(
            DaemonProcess.poll(seconds: 60) { LineConnection("\(folder.path)/stream") != nil },
            "\(folder.text(of: "log"))")
        for name in ["frames", "stream"] {
            var information = stat()
            #expect(lstat("\(folder.path)/\(name)", &information) == 0 && information.st_mode & 0o777 == 0o640)
        }
        // strace writes a call down after it.
        #expect(DaemonProcess.poll(seconds: 60) { folder.text(of: "trace").matches(of: /listen\(/).count >= 2 })
        let calls = folder.text(of: "trace").split(separator: "\n").map(String.init)
        for name in ["frames", "stream"] {
            let bind = try #require(calls.firstIndex { $0.contains("bind(") && $0.contains("/\(name)\"") })
            let mode = calls[..<bind].last { $0.contains("fchmod(") }
            #expect(mode?.contains(", 0640)") == true, "\(mode ?? "no fchmod")")
            let group = calls[bind...].firstIndex { $0.contains("chown") && $0.contains("/\(name)\"") }
            let listening = calls[bind...].firstIndex { $0.contains("listen(") }
            #expect(group != nil && listening != nil && (group ?? 0) < (listening ?? 0))
            #expect(!calls[bind...].contains { $0.contains("chmod") && $0.contains("/\(name)") })
        }
        #expect(!calls.contains { $0.contains("umask(") })
        let daemon = calls.first { $0.contains("bind(") }.flatMap { $0.split(separator: " ").first }.flatMap {
            pid_t($0)
        }
        if let daemon { kill(daemon, SIGTERM) }
        #expect(DaemonProcess.poll(seconds: 60) { !process.isRunning })
    }

    @Test func nobodyEverSeesThemWider() throws {
        // GIVEN a folder watched by inotify, and an open umask; WHEN the daemon starts twenty times; THEN at every
        // event of a socket, and at every look in between, its mode is the final one and its owner and group are;
        // nothing but the two sockets ever appears.
        let (folder, logs) = try (TemporaryFolder(), TemporaryFolder())
        let watch = try #require(FolderWatch(folder.path))
        for _ in 0..<20 {
            let process = try ExternalProgram.start(
                "/bin/sh",
                [
                    "-c",
                    "umask 0; exec '\(ExternalProgram.buildFolder)/posed' --source simulated --log-level error --set "
                        + "sockets.folder='\(folder.path)' "
                        + "--set sockets.mode=0640",
                ], output: "\(logs.path)/out", errors: "\(logs.path)/log")
            defer { process.kill() }
            #expect(
                DaemonProcess.poll(seconds: 60) {
                    watch.look(); return watch.created.count == 2
                })
            process.send(SIGTERM)
            #expect(
                DaemonProcess.poll(seconds: 60) {
                    watch.look(); return !process.isRunning && watch.created.isEmpty
                })
        }
        #expect(watch.problems.isEmpty, "\(watch.problems)")
        #expect(watch.looks >= 80)
    }
}

/// What becomes of the files of a folder, as the kernel tells it.
private final class FolderWatch {
    private let descriptor: Int32
    private let path: String
    /// Sockets that are there.
    private(set) var created: Set<String> = []
    /// What must not have been.
    private(set) var problems: [String] = []
    /// How often a socket was looked at.
    private(set) var looks = 0

    init?(_ path: String) {
        self.path = path
        descriptor = inotify_init1(Int32(IN_NONBLOCK))
        guard descriptor >= 0,
            inotify_add_watch(descriptor, path, UInt32(IN_CREATE | IN_ATTRIB | IN_DELETE | IN_MOVED_TO | IN_MOVED_FROM))
                >= 0
        else { return nil }
    }

    deinit { close(descriptor) }

    /// Takes all events; looks at each file they name, and at all that are there.
    func look() {
        var buffer = [UInt8](repeating: 0, count: 8192)
        let count = read(descriptor, &buffer, buffer.count)
        var place = 0
        while place + 16 <= count {
            let (mask, length) = buffer.withUnsafeBytes {
                (
                    $0.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self),
                    Int($0.loadUnaligned(fromByteOffset: place + 12, as: UInt32.self))
                )
            }
            let name = String(decoding: buffer[(place + 16)..<(place + 16 + length)].prefix { $0 != 0 }, as: UTF8.self)
            if mask & UInt32(IN_DELETE | IN_MOVED_FROM) != 0 { created.remove(name) } else { created.insert(name) }
            check(name)
            place += 16 + length
        }
        for name in created { check(name) }
    }

    private func check(_ name: String) {
        guard ["frames", "stream"].contains(name) else { return problems.append("there was \(name)") }
        var information = stat()
        guard lstat("\(path)/\(name)", &information) == 0 else { return }
        looks += 1
        guard information.st_mode & 0o7777 == 0o640, information.st_uid == geteuid(), information.st_gid == getegid()
        else {
            return problems.append(
                "\(name): mode \(String(information.st_mode & 0o7777, radix: 8)), owner "
                    + "\(information.st_uid):\(information.st_gid)"
            )
        }
    }
}
