import CSystem
import Glibc

/// An `errno`.
package struct SystemError: Error, Equatable {
    /// The number.
    package var code: Int32
}

/// A connected, non-blocking socket; whoever holds it closes it.
package struct GpsdSocket: Equatable {
    /// Its descriptor.
    package let descriptor: Int32

    /// Takes over an open descriptor.
    package init(descriptor: Int32) { self.descriptor = descriptor }

    package static func connect(to address: HostAddress, stop: StopSignal, seconds: Double) -> Result<
        GpsdSocket, SystemError
    > {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(address.family, kind, 0)
        guard descriptor >= 0 else { return .failure(SystemError(code: errno)) }
        let result = address.bytes.withUnsafeBytes { bytes -> Int32 in
            guard let base = bytes.baseAddress else { return EINVAL }
            let pointer = base.assumingMemoryBound(to: sockaddr.self)
            return Glibc.connect(descriptor, pointer, socklen_t(bytes.count)) == 0 ? 0 : errno
        }
        let error = result == EINPROGRESS ? outcome(of: descriptor, stop: stop, seconds: seconds) : result
        guard error == 0 else {
            Glibc.close(descriptor)
            return .failure(SystemError(code: error))
        }
        return .success(GpsdSocket(descriptor: descriptor))
    }

    private static func outcome(of descriptor: Int32, stop: StopSignal, seconds: Double) -> Int32 {
        guard stop.wait(for: descriptor, events: Int16(POLLOUT), seconds: seconds) == .ready else { return ETIMEDOUT }
        var error: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length) == 0 else { return errno }
        return error
    }

    /// What a read brought.
    package enum ReadResult: Equatable {
        /// So many bytes.
        case bytes(Int)
        /// Nothing at the moment.
        case nothing
        /// The other side closed.
        case closed
        /// The connection broke.
        case failed(SystemError)
    }

    /// Reads what is there.
    package func read(into buffer: UnsafeMutableRawBufferPointer) -> ReadResult {
        let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
        if count > 0 { return .bytes(count) }
        if count == 0 { return .closed }
        return errno == EAGAIN || errno == EINTR ? .nothing : .failed(SystemError(code: errno))
    }

    /// Sends a request, which always fits the socket's buffer unless gpsd has long stopped reading. Returns whether all
    /// of it went out.
    package func send(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }

    /// Closes it.
    package func close() { _ = Glibc.close(descriptor) }
}
