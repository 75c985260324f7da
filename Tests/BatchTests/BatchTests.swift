import BoundedJSON
import Foundation
import Testing

@testable import Batch

/// Finding recordings, running processes, keeping results, the table.
@Suite struct BatchTests {
    /// A folder for one test.
    private final class Folder {
        let path = NSTemporaryDirectory() + "posed-batch-\(UUID().uuidString)"

        init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
        deinit { try? FileManager.default.removeItem(atPath: path) }

        func write(_ text: String, to name: String) throws {
            let file = URL(fileURLWithPath: "\(path)/\(name)")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try text.write(to: file, atomically: false, encoding: .utf8)
        }
    }

    @Test func recordingsOfFoldersAndListsAreFoundOnce() throws {
        // GIVEN folders with recordings, other files, and a list that names one of them again
        let folder = try Folder()
        try folder.write("t_s,lat_deg,lon_deg\n1,2,3\n", to: "a/drive/gnss.csv")
        try folder.write("nothing", to: "a/notes.txt")
        try folder.write("{\"class\":\"TPV\"}\n", to: "a/b/log.json")
        try folder.write("# a list\n  a/drive  # again\n\na/gone\n", to: "list.txt")
        // THEN each is found once, and what is named stays although it is not there
        let found = try BatchInputs.recordings(of: ["\(folder.path)/a", "@\(folder.path)/list.txt"])
        #expect(
            found == ["a/b/log.json", "a/drive", "a/gone"].map { "\(folder.path)/\($0)" }, "\(found)")
        let error = #expect(throws: BatchInputs.Failure.self) { try BatchInputs.recordings(of: ["@/nowhere"]) }
        #expect(error?.description.hasPrefix("/nowhere: cannot be opened") == true)
    }

    /// A program that does what a name says, in place of posectl. It is not written by the test: a file that is open
    /// for writing cannot be run, and programs that other tests start at that moment hold it open.
    private static func program(_ folder: Folder) throws -> String {
        let program = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/Programs/replaces-posectl"
        try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/program", withDestinationPath: program)
        return "\(folder.path)/program"
    }

    private static func run(_ batch: BatchRun, _ recordings: [String]) -> [BatchRun.Result] {
        batch.run(recordings, shouldEnd: { false }, onResult: { _, _ in })
    }

    @Test func oneBadRecordingAffectsNoOther() throws {
        // GIVEN recordings of which one is damaged and one ends its process
        let folder = try Folder()
        let recordings = ["good", "bad", "crash", "good2"].map { "\(folder.path)/\($0)" }
        for name in ["good", "bad", "crash", "good2"] { try folder.write("x", to: name) }
        var batch = BatchRun(
            command: .replay, options: [], program: try Self.program(folder), folder: folder.path, jobs: 2)
        // WHEN all run THEN the others are done, and each failure has its reason
        let began = ContinuousClock.now
        let results = Self.run(batch, recordings)
        let passed = (ContinuousClock.now - began) / Duration.seconds(1)
        #expect(results.map(\.status) == [.done, .failed, .failed, .done])
        #expect(results.map(\.exit) == [0, 65, nil, 0])
        #expect(results[1].message.hasSuffix("bad: is damaged; record again"))
        #expect(results[2].message == "ended by signal 9")
        #expect(results.allSatisfy { $0.seconds > 0 && $0.seconds <= passed })
        // WHEN they run again THEN what is done is kept, and only the failures are tried again
        #expect(Self.run(batch, recordings).map(\.status) == [.kept, .failed, .failed, .kept])
        let runs = try String(contentsOfFile: "\(folder.path)/runs", encoding: .utf8).split(separator: "\n")
        #expect(runs.count == 6)
        // WHEN a recording or the options change, or all is forced THEN it is made again
        try folder.write("longer", to: "good")
        #expect(Self.run(batch, [recordings[0], recordings[3]]).map(\.status) == [.done, .kept])
        batch.options = ["--rate", "5"]
        #expect(Self.run(batch, [recordings[3]]).map(\.status) == [.done])
        batch.isForced = true
        #expect(Self.run(batch, [recordings[3]]).map(\.status) == [.done])
    }

    /// Runs a batch in a process that ignores the end of its children.
    static func runIgnoringChildren() throws {
        // What would go on for ever is ended.
        alarm(60)
        signal(SIGCHLD, SIG_IGN)
        let folder = try Folder()
        let recordings = ["good", "bad"].map { "\(folder.path)/\($0)" }
        for name in ["good", "bad"] { try folder.write("x", to: name) }
        let batch = BatchRun(command: .replay, options: [], program: try program(folder), folder: folder.path, jobs: 2)
        #expect(run(batch, recordings).map(\.exit) == [0, 65])
    }

    @Test func aParentThatIgnoresItsChildrenDoesNotHoldItUp() async {
        // GIVEN a process whose parent ignores the end of its children, which processes inherit WHEN a batch runs THEN
        // it ends, and knows how each recording ended
        await #expect(processExitsWith: .success) { try BatchTests.runIgnoringChildren() }
    }

    @Test func anInterruptedBatchGoesOn() throws {
        // GIVEN a batch that is ended after its first result
        let folder = try Folder()
        let recordings = (0..<5).map { "\(folder.path)/r\($0)" }
        for index in 0..<5 { try folder.write("x", to: "r\(index)") }
        let batch = BatchRun(
            command: .smooth, options: [], program: try Self.program(folder), folder: folder.path, jobs: 1)
        var finished = 0
        let first = batch.run(recordings, shouldEnd: { finished >= 1 }, onResult: { count, _ in finished = count })
        #expect(first.count < 5)
        // WHEN it runs again THEN the rest is done
        let second = Self.run(batch, recordings)
        #expect(second.count == 5 && second.filter { $0.status == .kept }.count == first.count)
    }

    @Test func aFolderIsDoneAgainWhenOneOfItsFilesChanges() throws {
        // GIVEN a recording that is a folder, whose result is there
        let folder = try Folder()
        try folder.write("t_s\n1\n", to: "drive/imu.csv")
        let batch = BatchRun(
            command: .replay, options: [], program: try Self.program(folder), folder: folder.path, jobs: 1)
        let recordings = ["\(folder.path)/drive"]
        #expect(Self.run(batch, recordings).map(\.status) == [.done])
        // WHEN only the time of the folder changes, as in a copy THEN the result is kept
        var times = [timeval(tv_sec: 1, tv_usec: 0), timeval(tv_sec: 1, tv_usec: 0)]
        #expect(utimes(recordings[0], &times) == 0)
        #expect(Self.run(batch, recordings).map(\.status) == [.kept])
        // WHEN a file in it gets longer, which does not change the folder THEN it is made again
        try folder.write("t_s\n1\n2\n", to: "drive/imu.csv")
        #expect(utimes(recordings[0], &times) == 0)
        #expect(Self.run(batch, recordings).map(\.status) == [.done])
    }

    @Test(arguments: [true, false]) func aFileThatAnOptionNamesIsAPartOfTheResult(isOneWord: Bool) throws {
        // GIVEN a result that was made with a settings file, and with options that name no file, or a folder
        let folder = try Folder()
        try folder.write("x", to: "good")
        try folder.write("gnss: {}", to: "tuned.yaml")
        let settings = "\(folder.path)/tuned.yaml"
        let batch = BatchRun(
            command: .replay,
            options: (isOneWord ? ["--config=\(settings)"] : ["--config", settings]) + ["--rate=10", folder.path],
            program: try Self.program(folder), folder: folder.path, jobs: 1)
        let recordings = ["\(folder.path)/good"]
        #expect(Self.run(batch, recordings).map(\.status) == [.done])
        #expect(Self.run(batch, recordings).map(\.status) == [.kept])
        // WHEN the file is edited THEN the result is made again, once
        try folder.write("gnss: {rate: 1}", to: "tuned.yaml")
        #expect(Self.run(batch, recordings).map(\.status) == [.done])
        #expect(Self.run(batch, recordings).map(\.status) == [.kept])
    }

    @Test func whatIsKnownOfEarlierRunsIsTold() throws {
        // GIVEN a report that was made, one whose program was killed, one that failed, and one that never ran
        let folder = try Folder()
        for name in ["good", "crash", "bad", "new"] { try folder.write("x", to: name) }
        let batch = BatchRun(
            command: .replay, options: [], program: try Self.program(folder), folder: folder.path, jobs: 3)
        func known(_ name: String) -> String {
            let result = batch.known("\(folder.path)/\(name)", name: name)
            return "\(result.status) \(result.exit.map { "\($0)" } ?? "-") \(result.output.isEmpty) \(result.message)"
        }
        _ = Self.run(batch, ["good", "crash", "bad"].map { "\(folder.path)/\($0)" })
        // THEN the first is kept, and the others say what happened
        #expect(known("good") == "kept 0 false ")
        #expect(known("crash") == "failed - true ended without a message; give this task again")
        #expect(known("bad") == "failed - true posectl: \(folder.path)/bad: is damaged; record again")
        #expect(known("new") == "failed - true not run yet")
        try folder.write(String(repeating: "remark\n", count: 20_000) + "the disk is full\n", to: "new.log")
        #expect(known("new") == "failed - true the disk is full")
        unlink("\(folder.path)/new.log")
        // WHEN the recording changes, or its result is lost THEN it has to be made again
        try folder.write("longer", to: "good")
        #expect(known("good") == "failed - true its result is cut or of another state; give this task again")
        unlink("\(folder.path)/good.ndjson")
        #expect(known("good") == "failed - true not run yet")
    }

    @Test func namesAreUnique() {
        let names = BatchRun.names(of: ["a/x.mcap", "b/x.mcap", "x", "b/x-2"])
        #expect(Set(names).count == 4 && names[0] == "x", "\(names)")
    }

    @Test func theTableIsCSVAndJSON() throws {
        var result = BatchRun.Result(
            recording: "a,\"b\".mcap", status: .failed, exit: 65, seconds: 1.5, output: "", message: "no\ngood")
        result.figures = [("error_rms_m", 1.25), ("problems", nil)]
        let csv = BatchTable.csv([result])
        #expect(csv.hasPrefix("recording,status,exit,seconds,output,message,error_rms_m,problems\r\n"))
        #expect(csv.contains("\"a,\"\"b\"\".mcap\",failed,65,1.50,,no good,1.250,\r\n"), "\(csv)")
        let root = try JSONDocument(BatchTable.json([result])).root
        #expect(root[0]?["recording"]?.string == "a,\"b\".mcap" && root[0]?["exit"]?.int == 65)
        #expect(root[0]?["figures"]?["error_rms_m"]?.double == 1.25)
    }
}
