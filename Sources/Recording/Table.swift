import DecimalNumbers
import PoseMath

/// A CSV file with a header of names with units, read row by row.
///
/// Unknown columns are ignored; every value is checked against its column. Blank lines are ignored.
package final class Table {
    /// The fields of the current row, in the order of the requested columns.
    package private(set) var cells: [Cell]

    private let reader: LineReader
    private let columns: [Column]
    /// For each field of a line the index of its column; -1 if unknown.
    private var columnOfField: [Int] = []

    /// Opens the file and reads the header; `nil` if the file does not exist.
    package init?(path: String, columns: [Column]) throws(RecordingError) {
        guard let reader = try LineReader(path: path) else { return nil }
        self.reader = reader
        self.columns = columns
        cells = Array(repeating: Cell(), count: columns.count)
        guard let line = try reader.next() else {
            throw RecordingError(path: path, problem: "the file is empty", remedy: "remove it or record again")
        }
        try readHeader(line)
    }

    /// Number of bytes read, and size of the file.
    package var bytes: (read: Int, total: Int) { (reader.bytesRead, reader.size) }

    /// An error about a field of the current row, or about the whole row.
    package func error(at column: Int? = nil, _ problem: String, _ remedy: String) -> RecordingError {
        RecordingError(
            path: reader.path, line: reader.line, column: column.map { cells[$0].place }, problem: problem,
            remedy: remedy)
    }

    /// The value of a column in the current row; `nil` if unknown.
    package func value(_ column: Int) -> Double? { cells[column].value }

    /// The time of a column in the current row; `nil` if unknown.
    package func time(_ column: Int) -> MonotonicTime? {
        cells[column].value == nil ? nil : MonotonicTime(nanoseconds: cells[column].nanoseconds)
    }

    /// Moves to the next row; returns `false` at the end of the file.
    package func advance() throws(RecordingError) -> Bool {
        while let line = try reader.next() {
            guard !line.allSatisfy({ $0 == 32 || $0 == 9 }) else { continue }
            try readRow(line)
            return true
        }
        return false
    }

    private func readRow(_ line: UnsafeBufferPointer<UInt8>) throws(RecordingError) {
        var field = 0
        var start = 0
        for index in 0...line.count where index == line.count || line[index] == UInt8(ascii: ",") {
            if field < columnOfField.count, columnOfField[field] >= 0 {
                try readField(
                    UnsafeBufferPointer(rebasing: line[start..<index]), columnOfField[field], place: start + 1)
            }
            field += 1
            start = index + 1
        }
        guard field == columnOfField.count else {
            let remedy =
                field < columnOfField.count
                ? "the line seems truncated: complete or remove it" : "remove the extra fields"
            throw error("the line has \(field) fields, the header \(columnOfField.count)", remedy)
        }
    }

    private func readField(_ field: UnsafeBufferPointer<UInt8>, _ index: Int, place: Int) throws(RecordingError) {
        cells[index] = Cell(value: nil, place: place)
        let column = columns[index]
        switch DecimalNumber.parse(field) {
        case .empty: return
        case .notFinite:
            throw error(
                at: index, "\(column.name) is not a finite number", "leave the field empty where the value is unknown")
        case .malformed:
            throw error(
                at: index, "\(column.name) is not a number: \(quoted(field))",
                "write a decimal number or leave the field empty")
        case .number(let number):
            let value = number.double
            guard column.range.contains(value) else {
                let (low, high) = (plain(column.range.lowerBound), plain(column.range.upperBound))
                throw error(
                    at: index, "\(column.name) is out of range: \(quoted(field))",
                    "it must lie between \(low) and \(high); is it in the unit of the name?")
            }
            cells[index].value = value
            if column.clock != .none {
                let exact = column.clock == .seconds ? number.nanoseconds : number.integer
                guard let nanoseconds = exact else {
                    throw error(at: index, "\(column.name) is too large", "count from the recording's start")
                }
                cells[index].nanoseconds = nanoseconds
            }
        }
    }

    private func readHeader(_ line: UnsafeBufferPointer<UInt8>) throws(RecordingError) {
        var names = line
        if names.starts(with: [0xEF, 0xBB, 0xBF]) { names = UnsafeBufferPointer(rebasing: names[3...]) }
        let isUnicode = String(validating: names, as: UTF8.self) != nil
        if let bad = names.firstIndex(where: { $0 < 32 && $0 != 9 || $0 == 127 || $0 > 127 && !isUnicode }) {
            let byte = String(names[bad], radix: 16)
            throw RecordingError(
                path: reader.path, line: 1, column: bad + 1,
                problem: "the header holds byte 0x\(byte), which is not text",
                remedy: "give a CSV file whose first line names the columns")
        }
        let found = names.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map { Self.trimmed($0) }
        columnOfField = found.map { name in columns.firstIndex { $0.name == name } ?? -1 }
        for (index, column) in columns.enumerated() {
            let count = columnOfField.count { $0 == index }
            guard count < 2 else { throw headerError("the column \(column.name) occurs \(count) times", "keep one") }
            guard count == 1 || !column.isEssential else { throw missing(column, found) }
        }
    }

    private func missing(_ column: Column, _ found: [String]) -> RecordingError {
        if found.contains("\"\(column.name)\"") {
            return headerError("the names of the columns are in quotes", "write names and numbers without quotes")
        }
        // Spreadsheets of some languages separate by semicolons; a tab is a blank here.
        if found.count == 1, found[0].contains(where: { $0 == ";" || $0 == " " }) {
            return headerError(
                "the columns are not separated by commas", "separate them by commas, and write numbers with a point")
        }
        guard let near = found.first(where: { $0.hasPrefix(column.quantity + "_") || $0 == column.quantity }) else {
            return headerError(
                "the column \(column.name) is missing", "add it, or remove the file to do without this sensor")
        }
        return headerError(
            "the column \(column.name) is missing; found \(near)",
            "convert it to the unit \(column.unit) and name it \(column.name)")
    }

    private func headerError(_ problem: String, _ remedy: String) -> RecordingError {
        RecordingError(path: reader.path, line: 1, problem: problem, remedy: remedy)
    }

    private static func trimmed(_ name: UnsafeBufferPointer<UInt8>.SubSequence) -> String {
        String(decoding: name, as: UTF8.self).split(whereSeparator: { $0 == " " || $0 == "\t" }).joined(separator: " ")
    }

    /// The field for a message: at most 24 characters, without control characters.
    private func quoted(_ field: UnsafeBufferPointer<UInt8>) -> String {
        let text = field.prefix(24).map { $0 >= 32 && $0 < 127 ? Character(UnicodeScalar($0)) : "?" }
        return "\"\(String(text))\(field.count > 24 ? "..." : "")\""
    }

    private func plain(_ bound: Double) -> String {
        abs(bound) < 1e9 && bound == bound.rounded() ? String(Int(bound)) : String(bound)
    }
}
