/// Cuts a stream of bytes into lines of bounded length.
package struct LineCollector {
    private var bytes: [UInt8] = []
    private var begin = 0
    private var searched = 0

    /// The longest line taken, bytes: room for a route of a day's drive within a command.
    package static let longestLine = 4 << 20
    /// The capacity that is kept while no line is in progress, bytes.
    private static let keptCapacity = 4096

    /// Bytes of memory in use.
    var byteCount: Int { bytes.capacity }

    /// Adds what was received; `false` when a line is longer than the bound.
    package mutating func add(_ chunk: UnsafeRawBufferPointer) -> Bool {
        if begin > 0 {
            bytes.removeFirst(begin)
            searched -= begin
            begin = 0
        }
        bytes.append(contentsOf: chunk)
        return bytes.count <= Self.longestLine || bytes[searched...].contains(0x0A)
    }

    /// Takes the next whole line, without its end; `nil` when there is none yet.
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

    /// Forgets all, and frees the memory that a long line needed.
    mutating func clear() {
        bytes.removeAll(keepingCapacity: bytes.capacity <= Self.keptCapacity)
        begin = 0
        searched = 0
    }
}
