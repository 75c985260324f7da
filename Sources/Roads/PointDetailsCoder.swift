/// The details of a point as they lie in a file: seven texts, each two bytes of length and UTF-8, then a byte with the
/// number of categories and two bytes for each. Lengths are little-endian; an empty text is unknown.
public enum PointDetailsCoder {
    /// The texts, and the numbers of the categories.
    public struct Fields: Sendable, Equatable {
        /// Stable name within the set.
        public var id = ""
        /// What it is called.
        public var title = ""
        /// A few words about it.
        public var text = ""
        /// Street and house.
        public var address = ""
        /// Telephone number.
        public var phone = ""
        /// Web page.
        public var website = ""
        /// Picture.
        public var image = ""
        /// Numbers of its categories.
        public var categories: [UInt16] = []

        /// Nothing known.
        public init() {}
    }

    /// Longer texts are cut.
    public static let longestText = 2000
    /// More categories of one point are left out.
    public static let mostCategories = 32

    private static let texts: [WritableKeyPath<Fields, String> & Sendable] = [
        \.id, \.title, \.text, \.address, \.phone, \.website, \.image,
    ]

    /// The bytes of details.
    public static func bytes(_ fields: Fields) -> [UInt8] {
        var bytes: [UInt8] = []
        for path in texts {
            var text = Array(fields[keyPath: path].utf8.prefix(longestText))
            // A text is not cut within a character.
            if text.count == longestText { while let last = text.last, last & 0xC0 == 0x80 { text.removeLast() } }
            if text.count >= longestText - 3, let last = text.last, last >= 0xC0 { text.removeLast() }
            bytes.append(UInt8(text.count & 0xFF))
            bytes.append(UInt8(text.count >> 8))
            bytes += text
        }
        let categories = fields.categories.prefix(mostCategories)
        bytes.append(UInt8(categories.count))
        for category in categories { bytes += [UInt8(category & 0xFF), UInt8(category >> 8)] }
        return bytes
    }

    /// The details at a place; what lies beyond the end is empty.
    static func read(at start: Int, _ byte: (Int) -> UInt8?) -> Fields {
        var fields = Fields()
        var at = start
        func short() -> Int? {
            guard let low = byte(at), let high = byte(at + 1) else { return nil }
            at += 2
            return Int(low) | Int(high) << 8
        }
        for path in texts {
            guard let length = short(), length <= longestText else { return fields }
            fields[keyPath: path] = String(decoding: (0..<length).compactMap { byte(at + $0) }, as: UTF8.self)
            at += length
        }
        guard let count = byte(at) else { return fields }
        at += 1
        for _ in 0..<min(Int(count), mostCategories) {
            if let category = short() { fields.categories.append(UInt16(category)) }
        }
        return fields
    }
}
