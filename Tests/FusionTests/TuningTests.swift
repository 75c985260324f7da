import Foundation
import Testing

/// Tuned numbers stand in Sources/Fusion/Tuning, each with its source and the suites that cover it.
@Suite struct TuningTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../..").standardizedFileURL

    /// The Swift files under a folder of the package, and their lines.
    private func files(under folder: String) throws -> [(path: String, lines: [Substring])] {
        let base = Self.root.appendingPathComponent(folder)
        let paths = try FileManager.default.subpathsOfDirectory(atPath: base.path).filter { $0.hasSuffix(".swift") }
        return try paths.sorted().map { path in
            let text = try String(contentsOf: base.appendingPathComponent(path), encoding: .utf8)
            return (path, text.split(separator: "\n", omittingEmptySubsequences: false))
        }
    }

    /// Constants of mathematics and physics, and indices into an error vector.
    private static let exceptions: Set<String> = [
        // Weights of the symmetric matrices of soft iron: roots of a half and of a sixth.
        "half", "sixth",
        // Standard gravity by definition (ISO 80000-3).
        "standardGravity",
        // Indices of the attitude filter's error vector.
        "attitude", "velocity", "gyroBias", "accelerometerBias", "gyroScale", "gravity",
        "gyroCross", "learnsFromYaw",
    ]

    /// The name of a constant that is declared as a number, a tuple or an array of numbers; `nil` for other lines.
    private func number(declaredIn line: Substring) -> String? {
        let literal =
            /^ *(?:(?:public|package|private|fileprivate) )*(?:static )?(?:let|var) ([^=]*?)(?::[^=]*)? = (.*)$/
        guard line.contains("static "), let match = line.firstMatch(of: literal) else { return nil }
        let isNumeric = match.2.firstMatch(of: /^[\(\[]*(?:[a-zA-Z]+: )?-?[0-9]/) != nil
        return isNumeric ? String(match.1) : nil
    }

    @Test func aNumberIsRecognisedInEveryFormOfADeclaration() {
        // GIVEN declarations of numbers and others THEN only the former are found
        #expect(number(declaredIn: "    private static let gate = 4.0") == "gate")
        #expect(number(declaredIn: "    static let rate: Double = -1e-3") == "rate")
        #expect(number(declaredIn: "    private static let floor = (gyro: 0.01, accelerometer: 0.005)") == "floor")
        #expect(number(declaredIn: "    private static let (a, b) = (0.4, 2.2)") == "(a, b)")
        #expect(number(declaredIn: "    static let all: [FilterState] = [") == nil)
        #expect(number(declaredIn: "    static let gyroStuck = InertialFaults(rawValue: 1)") == nil)
        #expect(number(declaredIn: "    private static let n = FilterState.count") == nil)
    }

    @Test func noTypeOfTheEstimatorDeclaresANumberOfItsOwn() throws {
        // GIVEN the sources of Fusion outside Tuning THEN no static constant is a number
        for file in try files(under: "Sources/Fusion") where !file.path.hasPrefix("Tuning/") {
            for (index, line) in file.lines.enumerated() {
                guard let name = number(declaredIn: line), !Self.exceptions.contains(name) else { continue }
                Issue.record("\(file.path):\(index + 1): \(name) belongs into Sources/Fusion/Tuning")
            }
        }
    }

    @Test func everyConstantHasASourceAndASuiteThatExists() throws {
        // GIVEN the suites of this target
        let suites = Set(
            try files(under: "Tests/FusionTests").map {
                $0.path.split(separator: "/").last.map { String($0.dropLast(6)) } ?? ""
            })
        var count = 0
        for file in try files(under: "Sources/Fusion/Tuning") {
            var comment = ""
            for (index, line) in file.lines.enumerated() {
                let text = line.drop { $0 == " " }
                if text.hasPrefix("///") {
                    comment += text.dropFirst(3)
                    continue
                }
                defer { comment = "" }
                guard let name = number(declaredIn: line) else { continue }
                count += 1
                // WHEN a constant is declared THEN its comment names a source and suites
                let place = "\(file.path):\(index + 1): \(name)"
                #expect(comment.contains(" Source: "), "\(place) has no source")
                let covered = comment.split(separator: " Covered by: ").dropFirst().joined()
                #expect(!covered.isEmpty, "\(place) names no suite")
                for suite in covered.matches(of: /[A-Za-z]+Tests/) {
                    #expect(suites.contains(String(suite.0)), "\(place) names \(suite.0), which does not exist")
                }
            }
        }
        // THEN the files have been read: there are some four hundred constants
        #expect(count > 300)
    }
}
