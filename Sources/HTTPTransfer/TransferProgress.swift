import CCurl
import Glibc
import RoutingProtocol

/// What has come so far, counted against the bounds.
final class TransferProgress {
    /// Why the transfer was ended from this side; `nil`: it was not.
    private(set) var stopped: RoutingReport?
    private var headBytes = 0
    private var bodyBytes = 0
    private let maximumBytes: Int
    private let take: (UnsafeRawBufferPointer) -> Bool
    private let isAbandoned: () -> Bool

    /// Nothing has come.
    init(
        maximumBytes: UInt32, take: @escaping (UnsafeRawBufferPointer) -> Bool, isAbandoned: @escaping () -> Bool
    ) {
        self.maximumBytes = Int(maximumBytes)
        self.take = take
        self.isAbandoned = isAbandoned
    }

    /// The one that libcurl was given; it outlives the transfer.
    static func of(_ context: UnsafeMutableRawPointer?) -> TransferProgress {
        guard let context else { return TransferProgress(maximumBytes: 0, take: { _ in false }, isAbandoned: { true }) }
        return Unmanaged<TransferProgress>.fromOpaque(context).takeUnretainedValue()
    }

    /// Counts a line of a head; how many bytes of it were taken.
    func takeHead(count: Int) -> Int {
        headBytes += count
        guard headBytes <= Transfer.headLimit else {
            return stop(.failed(.malformed, detail: "its head has more than \(Transfer.headLimit) bytes"))
        }
        return count
    }

    /// Hands on a piece of the body; how many bytes of it were taken.
    func takeBody(_ bytes: UnsafeRawBufferPointer) -> Int {
        bodyBytes += bytes.count
        guard bodyBytes <= maximumBytes else {
            return stop(.failed(.tooLarge, detail: "its body has more than \(maximumBytes) bytes"))
        }
        guard take(bytes) else { return stop(.failed(.other, detail: "nobody waits for it")) }
        return bytes.count
    }

    /// Whether nobody waits for the answer any more.
    var isToEnd: Bool {
        guard isAbandoned() else { return false }
        _ = stop(.failed(.other, detail: "nobody waits for it"))
        return true
    }

    /// Ends the transfer; what libcurl takes for fewer bytes than it gave.
    private func stop(_ report: RoutingReport) -> Int {
        if stopped == nil { stopped = report }
        return 0
    }
}

/// What libcurl's results mean.
enum TransferFault {
    /// The fault of a result other than `CURLE_OK`.
    static func of(_ result: CURLcode, _ handle: UnsafeMutableRawPointer) -> RoutingFault {
        switch result {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT, CURLE_UNSUPPORTED_PROTOCOL, CURLE_LOGIN_DENIED,
            CURLE_URL_MALFORMAT:
            posed_curl_number(handle, CURLINFO_REDIRECT_COUNT) > 0 ? .redirected : atTheServer(result, handle)
        case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY: .proxy
        case CURLE_OPERATION_TIMEDOUT: tooSlow(handle)
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CACERT_BADFILE,
            CURLE_SSL_ISSUER_ERROR, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_INVALIDCERTSTATUS:
            .untrusted
        case CURLE_TOO_MANY_REDIRECTS: .redirected
        case CURLE_FILESIZE_EXCEEDED: .tooLarge
        case CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING, CURLE_HTTP2: .malformed
        case CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR: .cutOff
        default: .other
        }
    }

    /// The fault where the server that was named first is not reached.
    private static func atTheServer(_ result: CURLcode, _ handle: UnsafeMutableRawPointer) -> RoutingFault {
        switch result {
        case CURLE_COULDNT_RESOLVE_HOST: .unknownHost
        case CURLE_COULDNT_CONNECT:
            posed_curl_number(handle, CURLINFO_OS_ERRNO) == Int(ECONNREFUSED) ? .refused : .unreachable
        default: .malformed
        }
    }

    /// How far a transfer came until its time was over.
    private static func tooSlow(_ handle: UnsafeMutableRawPointer) -> RoutingFault {
        if posed_curl_time(handle, CURLINFO_NAMELOOKUP_TIME_T) == 0 { return .nameTooSlow }
        return posed_curl_time(handle, CURLINFO_CONNECT_TIME_T) == 0 ? .connectTooSlow : .answerTooSlow
    }
}
