import Glibc

/// Measures the figures that posed promises, and prints each beside its limit. Figures over their limit do not fail:
/// they are told as they are.
@main struct Bench {
    static func main() {
        guard let options = Options(CommandLine.arguments.dropFirst()) else {
            Report.say(Options.usage)
            exit(64)
        }
        checkCounter()
        let folder = options.folder
        var bench = Bench(options: options)
        for rate in [100.0, 200.0] {
            bench.attempt("engine at \(Int(rate)) Hz") { try EngineBench(rateHertz: rate).run() }
        }
        bench.attempt("orientation") { try OrientationBench().run() }
        bench.attempt("guidance") { try GuidanceBench().run() }
        bench.attempt("scene") { SceneBench().run() }
        for side in [300.0, 30.0] {
            bench.attempt("points in \(Int(side)) km") { try PointsBench(sideKilometers: side).run() }
        }
        bench.attempt("roads") { try RoadsBench(program: "\(folder)/posectl").run() }
        bench.attempt("replay") { try ReplayBench(program: "\(folder)/posectl").run() }
        bench.attempt("encoding") { try EncodeBench().run() }
        bench.attempt("fan-out") { try FanOutBench(program: "\(folder)/posed").run() }
        bench.attempt("daemon") { try DaemonBench(program: "\(folder)/posed").run() }
        // Last: a program started later would be charged for the memory that these take.
        bench.attempt("bad routes") { try BadRoutesBench().run() }
        if options.isLong { bench.attempt("endurance") { try EnduranceBench(program: "\(folder)/posed").run() } }
        exit(bench.isSound ? 0 : 1)
    }

    private let options: Options
    /// Whether every count that must be exact was.
    private var isSound = true

    private mutating func attempt(_ name: String, _ body: () throws -> Void) {
        guard options.only.isEmpty || options.only.contains(where: { name.hasPrefix($0) }) else { return }
        do {
            try body()
        } catch let error as BrokenCount {
            isSound = false
            Report.say("\(name): BROKEN: \(error.description)")
        } catch {
            Report.skip(name, because: "\(error)")
        }
    }

    /// A counter that counts nothing would praise everything.
    private static func checkCounter() {
        let before = AllocationCounter.count
        let block = AllocationCounter.allocateOne()
        let seen = AllocationCounter.count - before
        block.deallocate()
        if seen != 1 {
            Report.say("the heap counter saw \(seen) allocations where there was 1: do not trust the figures below")
        }
    }
}

/// A count that must be exact and was not: unlike a time, which the machine has a part in, that is a fault.
struct BrokenCount: Error {
    /// Which, and what it was.
    var description: String
}

/// What is asked of the benchmark.
private struct Options {
    /// Where posed and posectl were built.
    var folder = ProgramFolder.own
    /// Measurements whose names begin so; all where there are none.
    var only: [String] = []
    /// Whether to run for minutes what else runs for seconds, and to hold the counts to what they must be.
    var isLong = false

    static let usage = """
        usage: posed-bench [--only NAME]... [--long] [FOLDER]
          FOLDER   where posed and posectl were built; default: beside posed-bench
          --only   engine, orientation, guidance, scene, points, roads, replay, encoding, fan-out, daemon, endurance
          --long   also `endurance`: a minute each of 64 and 256 clients, and a storm of connections; \
          ends with 1 when a frame or a descriptor was lost
        """

    init?(_ arguments: ArraySlice<String>) {
        var rest = arguments
        while let word = rest.popFirst() {
            switch word {
            case "--long": isLong = true
            case "--only":
                guard let name = rest.popFirst() else { return nil }
                only.append(name)
            default:
                guard !word.hasPrefix("-"), rest.isEmpty else { return nil }
                folder = word
            }
        }
    }
}

/// Where this program lies.
enum ProgramFolder {
    /// The folder of the running program.
    static var own: String {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink("/proc/self/exe", &path, path.count - 1)
        guard length > 0 else { return "." }
        let text = String(decoding: path[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return text.lastIndex(of: "/").map { String(text[..<$0]) } ?? "."
    }
}
