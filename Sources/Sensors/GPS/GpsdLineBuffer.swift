/// Cuts what comes from a socket into lines, in bounded memory.
struct GpsdLineBuffer {
    /// Longest line taken, bytes; gpsd's longest (a sky of 140 satellites) is about 15,000.
    static let longestLine = 65_536

    private var pending: [UInt8] = []
    private var isSkipping = false
    /// Lines that were too long and have been thrown away.
    private(set) var overlongCount: UInt64 = 0

    /// Takes bytes as they come and gives each complete line, without its newline and without a carriage return before
    /// it.
    mutating func append(_ bytes: some Collection<UInt8>, line: (ArraySlice<UInt8>) -> Void) {
        for byte in bytes {
            guard byte != UInt8(ascii: "\n") else {
                finish(line)
                continue
            }
            guard !isSkipping else { continue }
            guard pending.count < Self.longestLine else {
                isSkipping = true
                overlongCount += 1
                pending.removeAll()
                continue
            }
            pending.append(byte)
        }
    }

    private mutating func finish(_ line: (ArraySlice<UInt8>) -> Void) {
        if !isSkipping {
            let end = pending.last == UInt8(ascii: "\r") ? pending.count - 1 : pending.count
            if end > 0 { line(pending[..<end]) }
        }
        isSkipping = false
        pending.removeAll(keepingCapacity: true)
    }
}
