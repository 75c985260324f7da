import CIIO

/// Reads one channel's integer from a captured scan, for any width, shift, sign and byte order.
struct RawReader {
    /// The channel.
    let channel: OpaquePointer
    /// Ends of its range; `nil` for fields wider than any sensor's range.
    let range: RawRange?
    private let bytes: Int
    private let isSigned: Bool
    private var offset = 0

    /// Creates a reader for a buffered channel; rejects layouts that no scalar sensor has.
    init(_ channel: OpaquePointer) throws(IIOProblem) {
        let name = IIOLibrary.string(iio_channel_get_id(channel)) ?? "?"
        guard let format = iio_channel_get_data_format(channel)?.pointee else {
            throw IIOProblem("channel '\(name)' has no data format")
        }
        let bits = Int(format.bits)
        let length = Int(format.length)
        guard [8, 16, 32, 64].contains(length), bits > 0, bits + Int(format.shift) <= length, format.repeat <= 1 else {
            throw IIOProblem(
                "channel '\(name)' has the layout \(bits)/\(length)X\(format.repeat)>>\(format.shift), which is not an "
                    + "integer of 8, 16, 32 or 64 bits"
            )
        }
        self.channel = channel
        bytes = length / 8
        isSigned = format.is_signed
        range = RawRange(bits: bits, isSigned: isSigned)
    }

    /// Finds the channel's offset in a scan. Call it after a refill, whenever the scan's size changed.
    mutating func locate(in buffer: OpaquePointer) -> Bool {
        guard let start = iio_buffer_start(buffer), let first = iio_buffer_first(buffer, channel) else { return false }
        offset = first - start
        return offset >= 0 && offset + bytes <= iio_buffer_step(buffer)
    }

    /// The channel's integer in the scan at `scan`.
    func read(_ scan: UnsafeRawPointer) -> Int64 {
        var word: UInt64 = 0
        iio_channel_convert(channel, &word, scan + offset)
        return withUnsafeBytes(of: &word) { host in
            switch (bytes, isSigned) {
            case (1, true): Int64(host.load(as: Int8.self))
            case (1, false): Int64(host.load(as: UInt8.self))
            case (2, true): Int64(host.load(as: Int16.self))
            case (2, false): Int64(host.load(as: UInt16.self))
            case (4, true): Int64(host.load(as: Int32.self))
            case (4, false): Int64(host.load(as: UInt32.self))
            default: host.load(as: Int64.self)
            }
        }
    }
}
