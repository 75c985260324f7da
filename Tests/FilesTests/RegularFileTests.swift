import Files
import Foundation
import Glibc
import Synchronization
import Testing

/// Files are read up to a limit; other objects are reported.
@Suite struct RegularFileTests {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    private func fault(_ path: String) -> FileFault? {
        do throws(FileFault) {
            _ = try RegularFile(path)
            return nil
        } catch {
            return error
        }
    }

    @Test func bytesAreReadFromTheirOffset() throws {
        try AtomicFile.replace(folder.path + "/a", with: [1, 2, 3, 4], permissions: 0o600)
        let file = try RegularFile(folder.path + "/a")
        #expect(file.size == 4)
        #expect(try file.bytes(count: 4) == [1, 2, 3, 4])
        #expect(try file.bytes(at: 1, count: 2) == [2, 3])
        // GIVEN a count larger than the file WHEN read THEN the existing bytes are returned
        #expect(try file.bytes(at: 2, count: 10) == [3, 4])
        #expect(try file.bytes(at: 9, count: 10).isEmpty)
        #expect(try file.bytes(count: 0).isEmpty)
    }

    @Test(.enabled(if: access("/proc/kallsyms", R_OK) == 0)) func aFileThatIsReadInPiecesIsReadWhole() throws {
        // GIVEN a file of which a call of the system gives a page at most WHEN more is read THEN all of it is there, as
        // many bytes as asked for, and no byte behind them
        let file = try RegularFile("/proc/kallsyms")
        let pages = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 8)
        defer { pages.deallocate() }
        pages.copyBytes(from: [UInt8](repeating: 0xEE, count: pages.count))
        let target = UnsafeMutableRawBufferPointer(rebasing: pages[..<20_000])
        #expect(try FileTransfer.read(from: file.descriptor, at: 1000, into: target) == 20_000)
        #expect(pages[20_000...].allSatisfy { $0 == 0xEE } && target.suffix(100).allSatisfy { $0 < 0x80 })
        var pieces: [UInt8] = []
        while pieces.count < 20_000 {
            pieces += try file.bytes(at: 1000 + pieces.count, count: min(1500, 20_000 - pieces.count))
        }
        #expect(Array(target) == pieces)
    }

    @Test func aFileMayHaveTheFirstDescriptor() async {
        // GIVEN a process whose standard input is closed WHEN it opens a file, which gets the descriptor 0 THEN it is
        // read: a program begins with these four bytes
        await #expect(processExitsWith: .success) {
            close(STDIN_FILENO)
            let file = try RegularFile("/proc/self/exe")
            #expect(try file.bytes(count: 4) == [0x7F, 0x45, 0x4C, 0x46])
        }
    }

    @Test func nonRegularFilesAreReported() throws {
        #expect(mkfifo(folder.path + "/pipe", 0o600) == 0)
        #expect(fault(folder.path) == .notRegular(isFolder: true))
        // A pipe without a writer would otherwise block.
        for path in ["/dev/null", folder.path + "/pipe"] { #expect(fault(path) == .notRegular(isFolder: false)) }
        #expect(fault(folder.path + "/none") == .notOpened(ENOENT))
        #expect(fault("/dev/null/none") == .notOpened(ENOTDIR))
    }

    @Test func aFaultStatesReasonAndRemedy() {
        #expect(
            FileFault.notOpened(ENOENT).description
                == "cannot be opened: No such file or directory; check the path and the permissions")
        let faults: [FileFault] = [
            .notOpened(EACCES), .notRegular(isFolder: true), .notRead(EIO), .notMapped(ENOMEM), .busy, .notMade(EROFS),
            .notWritten(ENOSPC), .notReplaced(EACCES),
        ]
        // All faults are distinguishable.
        #expect(Set(faults.map(\.reason)).count == faults.count)
    }

    /// What a thread has read.
    private final class Read: Sendable {
        let bytes = Mutex<[UInt8]>([])
    }

    /// Writes a mebibyte into a pipe, interrupted by a signal when the pipe is full.
    static func writeThoughInterrupted() throws {
        // What would go on for ever is ended.
        alarm(60)
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        signal(SIGUSR1) { _ in }
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGUSR1)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        let (input, output, writer, read) = (ends[0], ends[1], pthread_self(), Read())
        let ended = DispatchSemaphore(value: 0)
        Thread {
            var room = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
            while poll(&room, 1, 0) > 0 { usleep(1000) }
            pthread_kill(writer, SIGUSR1)
            // The signal comes before there is room again.
            usleep(50_000)
            var part = [UInt8](repeating: 0, count: 65_536)
            var count = Glibc.read(input, &part, part.count)
            while count > 0 {
                let more = part[..<count]
                read.bytes.withLock { $0 += more }
                count = Glibc.read(input, &part, part.count)
            }
            ended.signal()
        }.start()
        let bytes = (0..<1_048_576).map { UInt8(truncatingIfNeeded: $0 / 251) }
        try bytes.span.withUnsafeBytes { content throws(FileFault) in try FileTransfer.write(content, to: output) }
        close(output)
        ended.wait()
        let isSame = read.bytes.withLock { $0 == bytes }
        #expect(isSame)
    }

    @Test func whatIsWrittenInPartsIsWrittenWhole() async {
        // GIVEN a pipe that takes a part of what is written, because a signal comes WHEN the rest is written THEN all
        // of it has arrived in its order; the signal is for a process of its own
        await #expect(processExitsWith: .success) { try RegularFileTests.writeThoughInterrupted() }
    }

    @Test func textIsWrittenToADescriptor() throws {
        // GIVEN a pipe WHEN a text is written THEN all of it can be read
        var pipe: [Int32] = [-1, -1]
        #expect(Glibc.pipe(&pipe) == 0)
        defer { pipe.forEach { close($0) } }
        try FileTransfer.write("grüße\n", to: pipe[1])
        var text = [UInt8](repeating: 0, count: 32)
        #expect(
            Glibc.read(pipe[0], &text, text.count) == 8
                && String(decoding: text.prefix(8), as: UTF8.self) == "grüße\n")
        // GIVEN a descriptor that accepts no bytes WHEN written or read THEN the fault has the system's reason
        #expect(throws: FileFault.notWritten(EBADF)) {
            try [UInt8(1)].span.withUnsafeBytes { bytes throws(FileFault) in try FileTransfer.write(bytes, to: -1) }
        }
        let full = open("/dev/full", O_WRONLY)
        defer { close(full) }
        #expect(throws: FileFault.notWritten(ENOSPC)) {
            try [UInt8(1)].span.withUnsafeBytes { bytes throws(FileFault) in try FileTransfer.write(bytes, to: full) }
        }
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 8, alignment: 8)
        defer { room.deallocate() }
        #expect(throws: FileFault.notRead(EBADF)) { try FileTransfer.read(from: -1, at: 0, into: room) }
    }
}
