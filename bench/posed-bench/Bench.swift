import Glibc

/// Measures the figures that posed promises, and prints each beside its limit. Figures over their limit do not fail: they are told as they are.
@main struct Bench {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        let folder = arguments.first ?? ProgramFolder.own
        guard arguments.count <= 1, arguments.first?.hasPrefix("-") != true else {
            Report.say("usage: posed-bench [FOLDER]   where posed and posectl were built; default: beside posed-bench")
            exit(64)
        }
        checkCounter()
        for rate in [100.0, 200.0] { attempt("engine at \(Int(rate)) Hz") { try EngineBench(rateHertz: rate).run() } }
        attempt("orientation") { try OrientationBench().run() }
        attempt("guidance") { try GuidanceBench().run() }
        attempt("bad routes") { try BadRoutesBench().run() }
        attempt("scene") { SceneBench().run() }
        for side in [300.0, 30.0] { attempt("points in \(Int(side)) km") { try PointsBench(sideKilometers: side).run() } }
        attempt("roads") { try RoadsBench(program: "\(folder)/posectl").run() }
        attempt("replay") { try ReplayBench(program: "\(folder)/posectl").run() }
        attempt("encoding") { try EncodeBench().run() }
        attempt("fan-out") { try FanOutBench(program: "\(folder)/posed").run() }
        attempt("daemon") { try DaemonBench(program: "\(folder)/posed").run() }
    }

    /// A counter that counts nothing would praise everything.
    private static func checkCounter() {
        let before = AllocationCounter.count
        let block = AllocationCounter.allocateOne()
        let seen = AllocationCounter.count - before
        block.deallocate()
        if seen != 1 { Report.say("the heap counter saw \(seen) allocations where there was 1: do not trust the figures below") }
    }

    private static func attempt(_ name: String, _ body: () throws -> Void) {
        do { try body() } catch { Report.skip(name, because: "\(error)") }
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
