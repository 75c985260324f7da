import Foundation
import PoseMath
import Testing

@testable import Fusion

/// Elements of inline arrays begin where the compiler's moves need them to.
@Suite struct InlineArrayLayoutTests {
    /// An estimator holds vectors and is aligned to 16 bytes, and the compiler copies each structure of an inline array
    /// in it as if it were, too. Plain numbers, and arrays of them, are copied as one block.
    private static let alignment = 16
    private static let plain: Set<String> = [
        "Double", "Int", "Int64", "UInt64", "UInt8", "InlineArray<columns, Double>",
    ]

    /// The structures that inline arrays of the estimators hold, and their strides.
    private static let strides = [
        "AidSourceStatus": MemoryLayout<AidSourceStatus>.stride,
        "RepetitionRun": MemoryLayout<RepetitionRun>.stride,
        "Complex": MemoryLayout<InMotionAligner.Complex>.stride,
        "Moments": MemoryLayout<InMotionAligner.Moments>.stride,
        "SIMD2<Double>": MemoryLayout<SIMD2<Double>>.stride,
        "Vector3": MemoryLayout<Vector3>.stride,
    ]

    @Test func everyStructureInAnInlineArrayBeginsAligned() throws {
        // GIVEN the element types of all inline arrays of the modules that an estimator is made of
        let elements = try ["Fusion", "PoseMath", "Engine"].reduce(into: Set<String>()) {
            $0.formUnion(try Self.elements(in: $1))
        }
        .subtracting(Self.plain)
        #expect(elements.contains("RepetitionRun"))
        // THEN each is measured here, and its stride keeps the alignment
        for element in elements {
            let stride = try #require(Self.strides[element], "InlineArray of \(element): add its stride to this test")
            #expect(stride % Self.alignment == 0, "\(element) has a stride of \(stride) bytes")
        }
    }

    private static func elements(in module: String) throws -> Set<String> {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Sources/\(module)").standardizedFileURL.resolvingSymlinksInPath()
        var found: Set<String> = []
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) where path.hasSuffix(".swift") {
            let text = try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
            for match in text.matches(of: /InlineArray<\w+, ((?:[^<>()]|<[^<>]*>|\([^()]*\))+)>/) {
                found.insert(String(match.1))
            }
        }
        return found
    }
}
