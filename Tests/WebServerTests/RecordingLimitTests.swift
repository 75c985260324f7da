import BoundedJSON
import Glibc
import RoadMaps
import Testing

import struct Foundation.Data

@testable import WebServer

/// The lines of a recording, the list of recordings, tokens and names at their limits.
@Suite struct RecordingLimitTests {
    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test func linesAreFoundByTheirTimes() throws {
        // GIVEN lines of different lengths, two of them at one time
        let store = try LineStore()
        for (line, seconds) in [("a", 0.0), ("bb", 1), ("", 1), ("ddd", 2.5), ("e", 4)] {
            store.append(Array(line.utf8), seconds: seconds)
        }
        store.flush()
        #expect(store.count == 5 && store.seconds == 4 && store.isOpen)
        // THEN a line at the first time belongs to the part, and one at the last does not
        for (from, to, most, lines) in [
            (0.0, 9.0, 9, "a\nbb\n\nddd\ne\n"), (0, 4, 9, "a\nbb\n\nddd\n"), (1, 2.5, 9, "bb\n\n"),
            (1, 2.51, 9, "bb\n\nddd\n"),
            (0.5, 2, 1, "bb\n"), (4, 5, 9, "e\n"), (4.1, 9, 9, ""), (-9, 0, 9, ""), (3, 2, 9, ""), (0, 9, 0, ""),
            (2.5, 9, 2, "ddd\ne\n"),
        ] {
            #expect(text(store.lines(from: from, to: to, most: most)) == lines, "\(from) \(to) \(most)")
        }
    }

    @Test func linesThatAreNotInTheFileAreNone() throws {
        // GIVEN a line that was not written yet: the file ends before it, as one that was cut off does WHEN it is asked
        // for THEN there is none, without an endless wait for more
        let store = try LineStore()
        store.append(Array("a".utf8), seconds: 1)
        #expect(store.lines(from: 0, to: 9, most: 9).isEmpty)
        store.flush()
        #expect(text(store.lines(from: 0, to: 9, most: 9)) == "a\n")
    }

    /// Makes a store, and looks for its file among the descriptors of the process.
    static func storeWithoutAFolder() throws {
        func files() -> [String] {
            (0..<256).compactMap { descriptor in
                var target = [CChar](repeating: 0, count: 256)
                let count = readlink("/proc/self/fd/\(descriptor)", &target, 256)
                let path = String(decoding: target.prefix(max(count, 0)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
                return path.contains("/posed-web.") ? path : nil
            }
        }
        unsetenv("TMPDIR")
        let store = try LineStore()
        let paths = files()
        #expect(paths.count == 1 && paths.allSatisfy { $0.hasPrefix("/var/tmp/posed-web.") }, "\(paths)")
        #expect(store.isOpen)
        setenv("TMPDIR", "/nowhere", 1)
        let problem = #expect(throws: WebProblem.self) { try LineStore() }
        #expect(
            problem?.description
                == "/nowhere: cannot create a temporary file (No such file or directory); set TMPDIR to a folder that "
                + "may be written to")
    }

    @Test func theLinesAreOnADiskUnlessAFolderIsNamed() async {
        // GIVEN a process that names no folder for temporary files THEN the lines are in /var/tmp, and not in /tmp,
        // which may be in memory; a folder that is named is the only one
        await #expect(processExitsWith: .success) { try RecordingLimitTests.storeWithoutAFolder() }
    }

    @Test func longRecordingsAreWrittenInParts() throws {
        // GIVEN more lines than are kept in memory, each of 1000 bytes with its number THEN each is read as it was
        let store = try LineStore()
        for number in 0..<600 {
            store.append([UInt8](repeating: UInt8(number % 200), count: 999), seconds: Double(number))
        }
        // What is in memory cannot be read; the parts before can, and with the rest written all.
        #expect(store.lines(from: 100, to: 101, most: 9) == [UInt8](repeating: 100, count: 999) + [0x0A])
        store.flush()
        for number in [0, 261, 262, 263, 264, 524, 525, 526, 599] {
            let line = store.lines(from: Double(number), to: Double(number) + 0.5, most: 9)
            #expect(line == [UInt8](repeating: UInt8(number % 200), count: 999) + [0x0A], "\(number)")
        }
        #expect(store.lines(from: 0, to: 1000, most: 1000).count == 600_000)
        store.flush()
        #expect(store.count == 600 && store.lines(from: 599, to: 600, most: 1).count == 1000)
    }

    @Test(arguments: [(7, false), (8, true), (128, true), (129, false)]) func aTokenHas8To128Bytes(
        count: Int, isTaken: Bool
    ) throws {
        let folder = ImportFolder()
        for end in ["", "\n", "\r\n", "\nmore"] {
            let token = String(repeating: "a", count: count)
            let path = folder.write(Array((token + end).utf8), to: "token")
            do throws(WebProblem) {
                let read = try TokenFile.read(path)
                #expect(isTaken && read == token)
            } catch {
                #expect(!isTaken && error.description.contains("8 to 128 letters"), "\(error)")
            }
        }
    }

    @Test func theListHasTheNewestFirst() async throws {
        // GIVEN a folder with recordings, another file, and a folder and a long name that end like one
        let folder = ImportFolder()
        folder.write([1, 2, 3], to: "old.mcap")
        folder.write([1, 2], to: "new.mcap")
        folder.write([1], to: "note.txt")
        for (name, seconds) in [("old.mcap", 1_790_000_000), ("new.mcap", 1_790_000_001)] {
            var times = [timespec(tv_sec: seconds, tv_nsec: 0), timespec(tv_sec: seconds, tv_nsec: 0)]
            utimensat(AT_FDCWD, "\(folder.path)/\(name)", &times, 0)
        }
        mkdir("\(folder.path)/d.mcap", 0o700)
        defer { rmdir("\(folder.path)/d.mcap") }
        // WHEN it is listed THEN it has the recordings alone
        let library = RecordingLibrary(folder: folder.path)
        let list = text(Array(library.list))
        #expect(
            list == #"{"folder":"\#(folder.path)","problem":null,"recordings":["#
                + #"{"name":"new.mcap","bytes":2,"modified_s":1790000001},"#
                + #"{"name":"old.mcap","bytes":3,"modified_s":1790000000}]}"#)
        // AND a name that is not in it is refused, wherever it leads
        for name in ["none.mcap", "note.txt", "d.mcap", "../x.mcap", ""] {
            await #expect(throws: WebProblem.self) { try await library.summary(of: name) }
            await #expect(throws: WebProblem.self) { try await library.frames(of: name, from: 0, to: 1) }
        }
    }

    @Test func anotherFolderIsAnotherList() {
        // GIVEN a library without a folder THEN it is the daemon's; WHEN one is told that does not exist THEN its
        // problem has the reason
        let library = RecordingLibrary(folder: nil)
        #expect(library.folder == "/var/lib/posed/recordings")
        library.use(folder: "/nowhere/recordings")
        #expect(
            text(Array(library.list))
                == #"{"folder":"/nowhere/recordings","problem":"/nowhere/recordings: "#
                + #"No such file or directory; nothing "#
                + #"was recorded yet","recordings":[]}"#)
        library.use(folder: "/nowhere/else")
        #expect(library.folder == "/nowhere/else")
    }

    @Test func aRecordingThatCannotBeReadIsToldAndReadAgain() async throws {
        // GIVEN a file that is no recording WHEN it is asked for THEN it is being read, and then its problem is told,
        // once for each reading
        let folder = ImportFolder()
        folder.write(Array("no recording".utf8), to: "a.mcap")
        let library = RecordingLibrary(folder: folder.path)
        for _ in 0..<2 {
            #expect(text(Array(try await library.summary(of: "a.mcap"))) == #"{"state":"reading","part":0.000}"#)
            var problem = ""
            while problem.isEmpty {
                do { _ = try await library.summary(of: "a.mcap") } catch { problem = "\(error)" }
                await Task.yield()
            }
            #expect(problem.contains("a.mcap: "), "\(problem)")
        }
    }

    @Test(arguments: [
        (10, 40_075_016.7 / 1024), (12, 40_075_016.7 / 4096), (14, 40_075_016.7 / 16_384),
    ]) func aTileReachesHalfItsDiagonal(zoom: Int, edge: Double) throws {
        // GIVEN the tile at the equator and the meridian of Greenwich THEN its middle is half an edge away from both,
        // and its reach is half of the diagonal; 1 % for the curvature and the flattening of the Earth
        let middle = 1 << (zoom - 1)
        let tile = try #require(MapTile(zoom: zoom, x: middle, y: middle))
        #expect(abs(tile.reachMeters / (edge * 0.5.squareRoot()) - 1) < 0.01)
        #expect(abs(tile.center.y / (edge / 2) - 1) < 0.01 && abs(tile.center.z / (-edge / 2) - 1) < 0.01)
        #expect(MapTile.levels == [10: 4, 12: 6, 14: 11] && MapTile(zoom: zoom, x: 2 * middle, y: 0) == nil)
        #expect(MapTile(zoom: zoom, x: 2 * middle - 1, y: 0) != nil)
    }
}
