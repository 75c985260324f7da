import CSystem
import Glibc

/// A descriptor that is given up where none is free for a connection: the connection can then be accepted and closed.
/// Otherwise it would stay waiting and wake the thread continuously.
package struct SpareDescriptor: ~Copyable {
    private var descriptor = Self.opened()

    /// Opens the descriptor.
    package init() {}

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Accepts a connection without waiting; `nil` if there is none, or if it was closed for want of a descriptor.
    package mutating func accept(on listener: Int32) -> Int32? {
        let connection = posed_accept(listener)
        if connection >= 0 { return connection }
        if errno == EMFILE || errno == ENFILE { refuse(on: listener) }
        return nil
    }

    /// Accepts a connection in the place of the spare descriptor, and closes it.
    package mutating func refuse(on listener: Int32) {
        if descriptor >= 0 { close(descriptor) }
        let connection = posed_accept(listener)
        if connection >= 0 { close(connection) }
        descriptor = Self.opened()
    }

    private static func opened() -> Int32 { open("/dev/null", O_RDONLY | O_CLOEXEC) }
}
