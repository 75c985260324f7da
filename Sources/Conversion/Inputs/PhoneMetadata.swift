import Recording

/// What `Metadata.csv` of a phone's recording tells about its axes.
struct PhoneMetadata {
    /// Whether the platform is known.
    private(set) var isKnown = false
    /// Whether gravity points down in the phone's acceleration, as iOS has it.
    private(set) var hasReversedAxes = false

    /// Reads the file; nothing is known without it.
    init(folder: String) throws(RecordingError) {
        guard let reader = try LineReader(path: "\(folder)/Metadata.csv"), let header = try reader.next() else {
            return
        }
        let names = Self.fields(Array(header))
        guard let row = try reader.next() else { return }
        let values = Self.fields(Array(row))
        func value(_ name: String) -> String? {
            names.firstIndex(of: name).flatMap { $0 < values.count ? values[$0].lowercased() : nil }
        }
        guard let platform = value("platform"), platform == "ios" || platform == "android" else { return }
        isKnown = true
        hasReversedAxes = platform == "ios" && value("standardisation") != "true"
    }

    /// The fields of a line; a field in quotes may contain commas.
    private static func fields(_ line: [UInt8]) -> [String] {
        var fields: [[UInt8]] = [[]]
        var isQuoted = false
        for byte in line {
            switch byte {
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: ",") where !isQuoted: fields.append([])
            default: fields[fields.count - 1].append(byte)
            }
        }
        return fields.map { String(decoding: $0, as: UTF8.self) }
    }
}
