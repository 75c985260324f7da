/// Encoding of a point's details in a file: seven texts, each with two bytes of length and UTF-8, then one byte with
/// the number of categories and two bytes for each. Lengths are little-endian; an empty text is unknown.
public enum PointDetailsCoder {
    /// Texts and category numbers of a point.
    public struct Fields: Sendable, Equatable {
        /// Stable identifier within the set.
        public var id = ""
        /// Title.
        public var title = ""
        /// Description.
        public var text = ""
        /// Street and house number.
        public var address = ""
        /// Telephone number.
        public var phone = ""
        /// Address of the web page.
        public var website = ""
        /// Address of a picture.
        public var image = ""
        /// Category numbers.
        public var categories: [UInt16] = []

        /// Creates empty details.
        public init() {}
    }

    /// Maximum length of a text, bytes of UTF-8; longer texts are truncated.
    public static let maximumTextBytes = 2000
    /// Maximum number of categories per point; further ones are dropped.
    public static let maximumCategories = 32

    private static let texts: [WritableKeyPath<Fields, String> & Sendable] = [
        \.id, \.title, \.text, \.address, \.phone, \.website, \.image,
    ]

    /// Encodes details.
    public static func bytes(_ fields: Fields) -> [UInt8] {
        var bytes: [UInt8] = []
        for path in texts {
            let text = Array(fields[keyPath: path].utf8)
            var length = min(text.count, maximumTextBytes)
            // A text must not be truncated within a character.
            while length > 0, length < text.count, text[length] & 0xC0 == 0x80 { length -= 1 }
            bytes.append(UInt8(length & 0xFF))
            bytes.append(UInt8(length >> 8))
            bytes += text[..<length]
        }
        let categories = fields.categories.prefix(maximumCategories)
        bytes.append(UInt8(categories.count))
        for category in categories { bytes += [UInt8(category & 0xFF), UInt8(category >> 8)] }
        return bytes
    }

    /// Decodes details at an offset; fields beyond the end are empty.
    static func read(at start: Int, _ byte: (Int) -> UInt8?) -> Fields {
        var fields = Fields()
        var at = start
        func short() -> Int? {
            guard let low = byte(at), let high = byte(at + 1) else { return nil }
            at += 2
            return Int(low) | Int(high) << 8
        }
        for path in texts {
            guard let length = short(), length <= maximumTextBytes else { return fields }
            fields[keyPath: path] = String(decoding: (0..<length).compactMap { byte(at + $0) }, as: UTF8.self)
            at += length
        }
        guard let count = byte(at) else { return fields }
        at += 1
        for _ in 0..<min(Int(count), maximumCategories) {
            if let category = short() { fields.categories.append(UInt16(category)) }
        }
        return fields
    }
}
