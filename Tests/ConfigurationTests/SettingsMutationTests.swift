import SeededNumbers
import Testing

@testable import Configuration

@Suite struct SettingsMutationTests {
    /// A file that sets keys of every type, one key per line.
    private static let good = [
        "profile: vehicle", "source: live", "log_level: info", "fusion:", "  estimator: kalman",
        "  antenna_lever_arm_m: [1, 2, 3]",
        "  position_lag_s: 0.1",
        "sockets:", "  folder: /run/posed", "  mode: \"0660\"", "  client_limit: 64", "  default_rate_hz: 60",
    ]

    /// Replacements for the value of a line; none of them is valid for any key.
    private static let poisons = [
        "nan", "-.inf", "1e400", "[", "]", "[1, 2", "{a: 1}", "\"", "'x", "&a", "*a", "!!int 5", "|", "> ",
        "5 furlongs", "99999999999999999999",
        "-1e300",
        "[[]]", "[nan, 0, 0]", ": :", "a: b",
    ]

    @Test func aPoisonedValueIsNamedInItsLine() throws {
        _ = try SettingsLoader.load(text: Self.good.joined(separator: "\n"), name: "t")
        var count = 0
        for (index, line) in Self.good.enumerated() {
            guard let colon = line.firstIndex(of: ":"), !line.hasSuffix(":") else { continue }
            for poison in Self.poisons {
                // A folder may be any text that starts with a slash; no replacement does.
                var lines = Self.good
                lines[index] = "\(line[...colon]) \(poison)"
                let mistakes = SettingsFixture.mistakes(lines.joined(separator: "\n"))
                #expect(mistakes.contains { $0.hasPrefix("\(index + 1):") }, "\(lines[index]) gave \(mistakes)")
                count += 1
            }
        }
        #expect(count >= 200)
    }

    @Test(arguments: [1, 2, 3, 4, 5] as [UInt64]) func noiseNeverTrapsAndEveryMistakeHasAPlace(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let source = Array(Self.good.joined(separator: "\n").utf8)
        let signs = Array(":-[]{}#'\"\\\n\t ,&*!|>%@~.0e".utf8)
        for _ in 0..<400 {
            // GIVEN the file with some bytes replaced, inserted or deleted
            var bytes = source
            for _ in 0...Int.random(in: 0..<6, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.insert(signs.randomElement(using: &random) ?? 0, at: place)
                case 2: bytes.remove(at: place)
                default: bytes[place] = signs.randomElement(using: &random) ?? 0
                }
            }
            // THEN reading ends, and whatever is wrong has a place within the file
            var reading = SettingsReading()
            reading.take(bytes, source: "t")
            // In YAML a lone carriage return also ends a line.
            let lines = bytes.count { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") } + 1
            for problem in reading.problems {
                #expect((1...lines).contains(problem.position?.line ?? 0), "seed \(seed): \(problem)")
            }
        }
    }
}
