import CSystem
import Glibc

/// An `errno` value.
package struct SystemError: Error, Equatable {
    /// The error number.
    package var code: Int32
}

/// A connected, non-blocking TCP socket. Its owner closes it.
package struct TCPSocket: Equatable {
    /// The socket's descriptor.
    package let descriptor: Int32

    /// Takes ownership of an open descriptor.
    package init(descriptor: Int32) { self.descriptor = descriptor }

    /// Connects within `seconds`. Fails with ETIMEDOUT when the time is over or `stop` is raised.
    package static func connect(to address: HostAddress, stop: StopSignal, seconds: Double) -> Result<
        TCPSocket, SystemError
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
        return .success(TCPSocket(descriptor: descriptor))
    }

    private static func outcome(of descriptor: Int32, stop: StopSignal, seconds: Double) -> Int32 {
        guard stop.wait(for: descriptor, events: Int16(POLLOUT), seconds: seconds) == .ready else { return ETIMEDOUT }
        var error: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length) == 0 else { return errno }
        return error
    }

    /// The result of a read.
    package enum ReadResult: Equatable {
        /// The number of bytes read, at least 1.
        case bytes(Int)
        /// No data available now.
        case nothing
        /// The peer closed the connection.
        case closed
        /// The connection failed.
        case failed(SystemError)
    }

    /// Reads the available bytes without blocking.
    package func read(into buffer: UnsafeMutableRawBufferPointer) -> ReadResult {
        let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
        if count > 0 { return .bytes(count) }
        if count == 0 { return .closed }
        return errno == EAGAIN || errno == EINTR ? .nothing : .failed(SystemError(code: errno))
    }

    /// Sends a request. Returns whether all of it was sent; a request fits into the socket's buffer unless the server
    /// stopped reading long ago.
    package func send(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }

    /// Closes the socket.
    package func close() { _ = Glibc.close(descriptor) }
}
