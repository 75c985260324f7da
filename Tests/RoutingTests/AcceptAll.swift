import Foundation
import Glibc

/// Reads a request from each connection to a listening socket, and has it answered, on a thread that ends when the
/// socket is shut down.
func acceptAll(_ listener: Int32, _ answer: @escaping @Sendable (Int32) -> Void) {
    Thread.detachNewThread {
        // It closes the socket, because another file may already have the number of a closed one.
        defer { close(listener) }
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else {
                if errno == EINVAL { return }
                // Who shuts the socket down later must find it: another file may have the number of a closed one.
                usleep(1000)
                continue
            }
            _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
            var request = [UInt8](repeating: 0, count: 4096)
            _ = recv(connection, &request, request.count, 0)
            answer(connection)
            close(connection)
        }
    }
}
