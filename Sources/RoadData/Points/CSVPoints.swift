import Roads

/// Reads points of interest from comma-separated values (RFC 4180): a header line, then one point per line. Semicolons
/// and tabs are also supported as separators.
enum CSVPoints {
    static func read(_ bytes: [UInt8], _ source: String, _ builder: inout PointFileBuilder) throws(ImportProblem) {
        var rows = CSVRows(bytes)
        guard let headings = rows.next() else { return }
        let names = headings.fields.map { $0.lowercased() }
        let north: Set = ["lat", "latitude", "lat_deg", "y"]
        guard names.contains(where: { north.contains($0) }) else {
            throw ImportProblem(
                place: "\(source):1:1", reason: "the first line names no column lat",
                remedy: "write headings: name, lat, lon and, where known, id, category, alt")
        }
        while let row = rows.next() {
            if row.fields.count == 1, row.fields[0].isEmpty { continue }
            guard row.fields.count <= names.count else {
                builder.report.skip(
                    "line \(row.line)", "it has \(row.fields.count) fields, and there are \(names.count) headings")
                continue
            }
            var texts = PointRecordTexts()
            for (name, field) in zip(names, row.fields) { texts.set(name, field) }
            try builder.add(texts.place(), at: "line \(row.line)")
        }
    }
}

/// The rows of a CSV text.
struct CSVRows {
    /// A row: its line number and its trimmed fields.
    struct Row {
        var line: Int
        var fields: [String]
    }

    private let bytes: [UInt8]
    private var at: Int
    private var line = 1
    private let separator: UInt8

    /// Reads the rows; the separator is the most frequent candidate in the first line.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        at = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        let first = bytes.prefix { $0 != 0x0A }
        let counts = [UInt8(ascii: ","), UInt8(ascii: ";"), 0x09].map { candidate in
            (candidate, first.count { $0 == candidate })
        }
        separator = counts.max { $0.1 < $1.1 }?.0 ?? UInt8(ascii: ",")
    }

    /// The next row; `nil` at the end.
    mutating func next() -> Row? {
        guard at < bytes.count else { return nil }
        let start = line
        var fields: [String] = []
        var field: [UInt8] = []
        var isQuoted = false
        while at < bytes.count {
            let byte = bytes[at]
            at += 1
            if byte == 0x0A { line += 1 }
            if isQuoted {
                if byte != UInt8(ascii: "\"") {
                    field.append(byte)
                } else if at < bytes.count, bytes[at] == UInt8(ascii: "\"") {
                    field.append(byte)
                    at += 1
                } else {
                    isQuoted = false
                }
            } else if byte == UInt8(ascii: "\"") {
                isQuoted = true
            } else if byte == separator {
                fields.append(Self.text(field))
                field = []
            } else if byte == 0x0A {
                break
            } else {
                field.append(byte)
            }
        }
        fields.append(Self.text(field))
        return Row(line: start, fields: fields)
    }

    private static func text(_ bytes: [UInt8]) -> String {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }
        var slice = bytes[...].drop(while: isSpace)
        while let last = slice.last, isSpace(last) { slice.removeLast() }
        return String(decoding: slice, as: UTF8.self)
    }
}
