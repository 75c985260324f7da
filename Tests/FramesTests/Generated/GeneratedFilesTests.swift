import CPosed
import Foundation
import Frames
import Testing

/// The files generated from the tables of `Sources/Frames/Fields` and from `posed.h`. `make generated` rewrites them.
@Suite struct GeneratedFilesTests {
    private let blocks = BlockDescription.all

    @Test func generatedFilesAreCurrent() throws {
        let header = try PosedHeader.ofPackage()
        try expect("clients/python/posed_client/parts.py") { _ in PythonParts.text(blocks, header) }
        try expect("docs/frames.schema.json") { SchemaParts.text($0, blocks) }
        try expect("docs/protocol.md") { ProtocolTables.text($0, blocks, header) }
    }

    @Test(arguments: ["poseState", "guidanceState", "sourceState"])
    func theSchemaOfAnEventHasEveryStateOfAFrame(name: String) throws {
        // GIVEN the states of a frame in the schema, which are those of the code THEN an event has them as well
        let schema = try #require(
            JSONSerialization.jsonObject(with: Data(contentsOf: Package.file("docs/frames.schema.json")))
                as? [String: Any])
        let parts = try #require(schema["$defs"] as? [String: [String: Any]])
        let members = try #require(parts["line_event"]?["properties"] as? [String: [String: Any]])
        let states = try Self.names(#require(parts[name]))
        let ofEvents = try Self.names(#require(members["state"]))
        #expect(states.count > 4 && states.isSubset(of: ofEvents), "\(states.subtracting(ofEvents))")
    }

    /// The names that a definition allows.
    private static func names(_ definition: [String: Any]) throws -> Set<String> {
        let kinds = try #require(definition["anyOf"] as? [[String: Any]])
        return Set(kinds.compactMap { $0["enum"] as? [String] }.joined())
    }

    @Test func parsedHeaderLayoutEqualsTheCompilers() throws {
        // GIVEN the header's text; WHEN its structs are laid out; THEN sizes equal the compiler's, so that there is no
        // hidden padding, and every struct is found.
        let header = try PosedHeader.ofPackage()
        let sizes = Dictionary(uniqueKeysWithValues: header.structs.map { ($0.name, $0.size) })
        #expect(sizes.count == 25, "\(sizes.keys.sorted())")
        #expect(sizes["posed_stamp"] == MemoryLayout<posed_stamp>.size)
        #expect(sizes["posed_pose"] == MemoryLayout<posed_pose>.size)
        #expect(sizes["posed_guidance"] == MemoryLayout<posed_guidance>.size)
        #expect(sizes["posed_speed"] == MemoryLayout<posed_speed>.size)
        #expect(sizes["posed_status"] == MemoryLayout<posed_status>.size)
        #expect(sizes["posed_scene_point"] == MemoryLayout<posed_scene_point>.size)
        #expect(sizes["posed_points"] == MemoryLayout<posed_points>.size)
        #expect(sizes["posed_memory"] == MemoryLayout<posed_memory>.size)
        for layout in header.structs {
            for (field, next) in zip(layout.fields, layout.fields.dropFirst()) {
                #expect(next.offset > field.offset, "\(layout.name).\(next.name)")
            }
        }
    }

    @Test func everyFieldOfTheHeaderIsInItsTableOnce() throws {
        // GIVEN the structs of a frame's parts; WHEN compared with the tables; THEN every field is in its table, with
        // its own offset, member and bit. A forgotten or wrongly copied field is detected.
        let header = try PosedHeader.ofPackage()
        for block in blocks {
            let layout = try #require(header.structs.first { $0.name == "posed_\(block.name)" })
            let places = Set(layout.fields.filter { !$0.isFiller && $0.name != "block" }.map(\.offset))
            let flags = Set(layout.fields.filter { $0.name == "flags" }.map(\.offset))
            #expect(Set(block.fields.map(\.offset)) == places, "\(block.name)")
            let values = block.fields.filter { !flags.contains($0.offset) }
            #expect(Set(values.map(\.offset)).count == values.count, "\(block.name)")
            #expect(Set(block.fields.map(\.memberOffset)).count == block.fields.count, "\(block.name)")
            #expect(!block.fields.contains { $0.offset == 0 }, "\(block.name)")
            let bits = block.fields.filter { $0.bit != 0 && !["lat_deg", "lon_deg"].contains($0.path.last) }.map(\.bit)
            #expect(Set(bits).count == bits.count, "\(block.name)")
        }
    }

    @Test func everyValidityBitIsInTheTables() throws {
        // GIVEN the bits of the structs that are not parts of a frame; WHEN looked up THEN each makes fields known that
        // the struct has, or is a flag of its own.
        let header = try PosedHeader.ofPackage()
        let parts = Set(blocks.map { "posed_\($0.name)" })
        let flags: Set = [
            "POSED_HELLO_SIMULATED", "POSED_STATUS_SIMULATED", "POSED_LANE_VALID", "POSED_LANE_RECOMMENDED",
            "POSED_SIGHT_IN_VIEW", "POSED_SIGHT_BEHIND", "POSED_SUBSCRIBE_EVERY", "POSED_SUBSCRIBE_SMOOTH",
            "POSED_SUBSCRIBE_SHARED", "POSED_SUBSCRIBE_ECEF",
        ]
        for bit in header.constants where bit.isBit {
            guard let owner = ProtocolTables.owner(of: bit.name, header), !parts.contains(owner),
                !flags.contains(bit.name)
            else { continue }
            let fields = try #require(ProtocolTables.known[bit.name], "\(bit.name)")
            let names = header.structs.first { $0.name == owner }?.fields.map(\.name) ?? []
            for field in fields { #expect(names.contains { $0.hasPrefix(field) }, "\(owner).\(field)") }
        }
        #expect(ProtocolTables.known.keys.allSatisfy { name in header.constants.contains { $0.name == name } })
    }

    /// Compares a file with its generated text; writes it if POSED_WRITE_GENERATED is set.
    private func expect(_ path: String, _ written: (String) throws -> String) throws {
        let file = Package.file(path)
        let before = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        let after = try written(before)
        if ProcessInfo.processInfo.environment["POSED_WRITE_GENERATED"] != nil {
            try after.write(to: file, atomically: true, encoding: .utf8)
        } else {
            #expect(before == after, "\(path) is not current: run `make generated`")
        }
    }
}
