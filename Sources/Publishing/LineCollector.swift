/// Splits a byte stream into lines of limited length.
package struct LineCollector {
    private var bytes: [UInt8] = []
    private var begin = 0
    private var searched = 0

    /// Maximum length of a line, bytes: room for a command with the route of a day's drive.
    package static let longestLine = 4 << 20
    /// Capacity that is kept while no line is in progress, bytes.
    private static let keptCapacity = 4096

    /// Bytes of memory in use.
    var byteCount: Int { bytes.capacity }

    /// Appends received bytes; `false` if a line exceeds the limit.
    package mutating func add(_ chunk: UnsafeRawBufferPointer) -> Bool {
        bytes.removeFirst(begin)
        searched -= begin
        begin = 0
        bytes.append(contentsOf: chunk)
        return bytes.count <= Self.longestLine || bytes[searched...].contains(0x0A)
    }

    /// Removes the next complete line without its end; `nil` if there is none.
    package mutating func next() -> ArraySlice<UInt8>? {
        guard let end = bytes[searched...].firstIndex(of: 0x0A) else {
            searched = bytes.count
            if begin == bytes.count { clear() }
            return nil
        }
        var line = bytes[begin..<end]
        begin = end + 1
        searched = begin
        if line.last == 0x0D { line.removeLast() }
        return line
    }

    /// Discards the input and frees the memory of a long line.
    mutating func clear() {
        bytes.removeAll(keepingCapacity: bytes.capacity <= Self.keptCapacity)
        begin = 0
        searched = 0
    }
}
