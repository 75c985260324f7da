import Glibc

/// Measures the figures of posed and prints each beside its limit. A figure over its limit is reported; with `--check`
/// one that is far over it fails the run.
@main struct Bench {
    static func main() {
        guard let options = Options(CommandLine.arguments.dropFirst()) else {
            Report.say(Options.usage)
            exit(64)
        }
        let folder = options.folder
        var bench = Bench(options: options)
        bench.checkCounter()
        for rate in [100.0, 200.0] {
            bench.attempt("engine at \(Int(rate)) Hz") { try EngineBench(rateHertz: rate).run() }
        }
        bench.attempt("orientation") { try OrientationBench().run() }
        bench.attempt("guidance") { try GuidanceBench().run() }
        bench.attempt("scene") { SceneBench().run() }
        bench.attempt("replay") { try ReplayBench(program: "\(folder)/posectl").run() }
        bench.attempt("batch") { try BatchBench(program: "\(folder)/posectl").run() }
        bench.attempt("recording") { try RecordingBench(folder: folder).run() }
        bench.attempt("encoding") { try EncodeBench().run() }
        bench.attempt("fan-out") { try FanOutBench(program: "\(folder)/posed").run() }
        bench.attempt("daemon") { try DaemonBench(program: "\(folder)/posed").run() }
        bench.attempt("sources") { try SourcesBench(program: "\(folder)/posed").run() }
        bench.attempt("roads") { try RoadsBench(program: "\(folder)/posectl").run() }
        for side in [300.0, 30.0] {
            bench.attempt("points in \(Int(side)) km") { try PointsBench(sideKilometers: side).run() }
        }
        bench.attempt("bad routes") { try BadRoutesBench().run() }
        if options.isLong {
            bench.attempt("endurance") { try EnduranceBench(program: "\(folder)/posed").run() }
            bench.attempt("soak") { try SoakBench(program: "\(folder)/posed", minutes: options.soakMinutes).run() }
        }
        bench.finish()
    }

    /// Writes the page, and ends the program with its status.
    private func finish() -> Never {
        guard hasAttempted else {
            Report.say("no measurement is named \(options.only.joined(separator: " or "))")
            exit(64)
        }
        if let page = options.page, !Report.writePage(to: page) {
            Report.say("\(page): cannot be written: \(String(cString: strerror(errno)))")
            exit(73)
        }
        let beyond = options.isChecked ? Report.figuresBeyondSlack : []
        for name in beyond { Report.say("beyond its limit and the slack for a slow hour: \(name)") }
        exit(isSound && beyond.isEmpty ? 0 : 1)
    }

    private let options: Options
    /// Whether every exact count was correct, and every measurement came to its end.
    private var isSound = true
    /// Whether anything of what was asked for exists.
    private var hasAttempted = false

    private mutating func attempt(_ name: String, _ body: () throws -> Void) {
        guard options.only.isEmpty || options.only.contains(where: { name.hasPrefix($0) }) else { return }
        hasAttempted = true
        do {
            try body()
        } catch let error as BrokenCount {
            isSound = false
            Report.say("\(name): BROKEN: \(error.description)")
        } catch {
            // What is absent on this machine is skipped where it is needed; anything else that fails is a fault.
            isSound = false
            Report.fail(name, because: "\(error)")
        }
    }

    /// A counter that counts nothing would report only good figures.
    private mutating func checkCounter() {
        let before = AllocationCounter.count
        let block = AllocationCounter.allocateOne()
        let seen = AllocationCounter.count - before
        block.deallocate()
        if seen != 1 {
            isSound = false
            Report.say("the heap counter counted \(seen) allocations instead of 1: the figures below are not reliable")
        }
    }
}

/// An exact count that was wrong. Unlike a time, it does not depend on the machine, so it is a fault.
struct BrokenCount: Error {
    /// The count and its value.
    var description: String
}

/// The command line options of the benchmark.
private struct Options {
    /// The folder of posed and posectl.
    var folder = ProgramFolder.own
    /// Only measurements whose names start with one of these; all if empty.
    var only: [String] = []
    /// Whether to run the long measurements for minutes, and to check exact counts.
    var isLong = false
    /// How long the daemon is measured in `soak`, minutes.
    var soakMinutes = 60.0
    /// Whether a figure far over its limit fails the run.
    var isChecked = false
    /// Path of the page to write with all figures.
    var page: String?

    static let usage = """
        usage: posed-bench [--only NAME]... [--long] [--minutes N] [--check] [--page FILE] [FOLDER]
          FOLDER   where posed and posectl were built; default: beside posed-bench
          --only   engine, orientation, guidance, scene, points, roads, replay, batch, recording, encoding, \
          fan-out, daemon, sources, endurance, soak
          --long   also `endurance`: a minute each of 64 and 256 clients, and a storm of connections; and `soak`: a \
          simulated day, and an hour with clients of every kind; ends with 1 when a frame or a descriptor was lost
          --minutes  how long the daemon runs in `soak` instead of the hour
          --check  ends with 1 when a ratio or a size is over 1.25 times its limit, another figure over 3 times, \
          or a count over 0
          --page   writes all figures to FILE as a table, not together with --only
        A measurement that fails, or an exact count that is wrong, ends it with 1 in any case.
        """

    init?(_ arguments: ArraySlice<String>) {
        var rest = arguments
        while let word = rest.popFirst() {
            switch word {
            case "--long": isLong = true
            case "--check": isChecked = true
            case "--minutes":
                guard let minutes = rest.popFirst().flatMap({ Double($0) }), minutes > 2 else { return nil }
                soakMinutes = minutes
            case "--only":
                guard let name = rest.popFirst() else { return nil }
                only.append(name)
            case "--page":
                guard let file = rest.popFirst() else { return nil }
                page = file
            default:
                guard !word.hasPrefix("-"), rest.isEmpty else { return nil }
                folder = word
            }
        }
        guard page == nil || only.isEmpty else { return nil }
    }
}

/// The location of this program.
enum ProgramFolder {
    /// The folder of the running program.
    static var own: String {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink("/proc/self/exe", &path, path.count - 1)
        guard length > 0 else { return "." }
        let text = String(decoding: path[..<length].map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
        return text.lastIndex(of: "/").map { String(text[..<$0]) } ?? "."
    }
}
