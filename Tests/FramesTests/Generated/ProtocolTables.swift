import Foundation
import Frames

/// The tables of every struct in `docs/protocol.md`.
enum ProtocolTables {
    private static let begin = "<!-- the structs of posed.h: written by `make generated` -->\n"
    private static let end = "<!-- end of the structs -->"

    /// The page with new tables; everything else stays unchanged.
    static func text(_ page: String, _ blocks: [BlockDescription], _ header: PosedHeader) -> String {
        guard let first = page.range(of: begin), let last = page.range(of: end, range: first.upperBound..<page.endIndex)
        else { return page }
        let tables = header.structs.map { layout in
            table(layout, blocks.first { "posed_\($0.name)" == layout.name }, header)
        }
        return page[..<first.upperBound] + "\n" + tables.joined(separator: "\n") + "\n" + page[last.lowerBound...]
    }

    private static func table(_ layout: PosedHeader.Struct, _ block: BlockDescription?, _ header: PosedHeader) -> String
    {
        var text = "### " + layout.name + "\n\n\(layout.size) bytes.\n\n"
        text += "| offset | type | field | known by | meaning |\n|---|---|---|---|---|\n"
        let prefix = layout.name.uppercased() + "_"
        for field in layout.fields {
            let bit = block?.fields.first { $0.offset == field.offset && $0.bit != 0 }?.bit
            let name = bit.flatMap { bit in
                header.constants.first { $0.isBit && $0.value == bit && $0.name.hasPrefix(prefix) }
            }?
            .name
            text +=
                "| \(field.offset) | \(field.type) | `\(field.name)` | \(name.map { "`\($0)`" } ?? "") | "
                + "\(field.meaning.replacingOccurrences(of: "|", with: "\\|")) |\n"
        }
        return text
    }
}
