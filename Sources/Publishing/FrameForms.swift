import Frames

/// One frame in its output forms; each form is encoded when the first client needs it.
final class FrameForms {
    private(set) var frame = Frame()
    /// The packets of the frame, after ``encode(for:)`` with `.frames`.
    var binary = BinaryFrameEncoder()
    /// The lines of the frame, after ``encode(for:)`` with `.stream`.
    var json = JSONFrameEncoder()
    private var binaryIsCurrent = false
    private var jsonIsCurrent = false

    /// Sets the next frame.
    func take(_ next: Frame) {
        frame = next
        (binaryIsCurrent, jsonIsCurrent) = (false, false)
    }

    /// Encodes the frame for the clients of a socket, unless it is encoded already.
    func encode(for kind: SocketKind) {
        switch kind {
        case .frames:
            if !binaryIsCurrent { withUnsafePointer(to: &frame) { binary.encode(at: $0) } }
            binaryIsCurrent = true
        case .stream:
            if !jsonIsCurrent { withUnsafePointer(to: &frame) { json.encodeParts(at: $0) } }
            jsonIsCurrent = true
        }
    }
}
