/// Splits received bytes into lines, in bounded memory.
struct GpsdLineBuffer {
    /// Longest accepted line, bytes; gpsd's longest line (a sky report of 140 satellites) is about 15,000.
    static let longestLine = 65_536

    private var pending: [UInt8] = []
    private var isSkipping = false
    /// Number of lines that exceeded the limit and were discarded.
    private(set) var overlongCount: UInt64 = 0

    /// Adds received bytes and calls `line` with each complete line, without its newline and a carriage return before
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
