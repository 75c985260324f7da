/// Decoder of encoded polylines: differences of latitude and longitude in units of 1e-5 or 1e-6 degrees, five bits per
/// character.
enum Polyline {
    /// Why a text is not an encoded polyline.
    enum Problem: Error, Equatable {
        /// A character outside 63 to 126.
        case character(offset: Int)
        /// A number of more than 32 bits.
        case tooLong(offset: Int)
        /// The text ends inside a number or between latitude and longitude.
        case cutOff
    }

    /// Decodes a text to latitudes and longitudes in the unit of its precision.
    static func decode(_ text: [UInt8]) throws(Problem) -> [(latitude: Int, longitude: Int)] {
        var points: [(latitude: Int, longitude: Int)] = []
        points.reserveCapacity(text.count / 4)
        var (latitude, longitude, at) = (0, 0, 0)
        while at < text.count {
            latitude += try number(text, &at)
            guard at < text.count else { throw .cutOff }
            longitude += try number(text, &at)
            points.append((latitude, longitude))
        }
        return points
    }

    private static func number(_ text: [UInt8], _ at: inout Int) throws(Problem) -> Int {
        var (value, shift) = (0, 0)
        while at < text.count {
            guard text[at] >= 63, text[at] <= 126 else { throw .character(offset: at) }
            let bits = Int(text[at]) - 63
            guard shift <= 30 else { throw .tooLong(offset: at) }
            value |= (bits & 0x1F) << shift
            shift += 5
            at += 1
            if bits < 0x20 { return value & 1 == 1 ? ~(value >> 1) : value >> 1 }
        }
        throw .cutOff
    }
}
