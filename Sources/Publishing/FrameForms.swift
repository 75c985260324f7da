import Frames

/// One frame in its output forms; each form is encoded when the first client needs it.
final class FrameForms {
    private(set) var frame = Frame()
    private var binary = BinaryFrameEncoder()
    private var json = JSONFrameEncoder()
    private var binaryIsCurrent = false
    private var jsonIsCurrent = false

    /// Sets the next frame.
    func take(_ next: Frame) {
        frame = next
        (binaryIsCurrent, jsonIsCurrent) = (false, false)
    }

    func withPacket(topics: Topics, sequence: UInt64, dropped: UInt64, _ body: (UnsafeRawBufferPointer) -> Void) {
        if !binaryIsCurrent { withUnsafePointer(to: &frame) { binary.encode(at: $0) } }
        binaryIsCurrent = true
        binary.withPacket(topics: topics, sequence: sequence, dropped: dropped, body)
    }

    func withLine(topics: Topics, dropped: UInt64, _ body: (UnsafeRawBufferPointer) -> Void) {
        encodeJSON()
        json.withLine(topics: topics, dropped: dropped, body)
    }

    /// The part of the line that is the same for every client, up to its drop count.
    func withOpenLine(topics: Topics, _ body: (UnsafeRawBufferPointer) -> Void) {
        encodeJSON()
        json.withOpenLine(topics: topics, body)
    }

    private func encodeJSON() {
        if !jsonIsCurrent { withUnsafePointer(to: &frame) { json.encodeParts(at: $0) } }
        jsonIsCurrent = true
    }
}
