import Files

/// The file with the token.
package enum TokenFile {
    /// Shortest token, bytes: what cannot be guessed over a network.
    private static let shortest = 8
    /// Longest token, bytes.
    private static let longest = 128

    /// The first line of a file.
    package static func read(_ path: String) throws(WebProblem) -> String {
        let bytes: [UInt8]
        do throws(FileFault) {
            bytes = try RegularFile(path).bytes(count: 4096)
        } catch {
            throw WebProblem("\(path): \(error.reason); write a token into it, \(example(path))")
        }
        let line = bytes.prefix { $0 != 0x0A && $0 != 0x0D }
        guard (shortest...longest).contains(line.count), line.allSatisfy(isTokenByte) else {
            throw WebProblem(
                "\(path): the first line is no token of \(shortest) to \(longest) letters, digits, '-' or '_'; "
                    + "write one, \(example(path))")
        }
        return String(decoding: line, as: UTF8.self)
    }

    /// How to write a token: so that the service, whose group is posed, may read the file, and not every user.
    private static func example(_ path: String) -> String {
        "such as: openssl rand -hex 16 | sudo install -m 640 -g posed /dev/stdin \(path)"
    }

    /// Letters, digits, `-` and `_`: they need no escapes in an address or a cookie.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
        default: false
        }
    }
}
