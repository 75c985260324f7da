import CCurl
import Glibc
import RoutingProtocol

/// Counts the received bytes against the limits.
final class TransferProgress {
    /// Why this side stopped the transfer; `nil` if it did not.
    private(set) var stopped: RoutingReport?
    private var headBytes = 0
    private var bodyBytes = 0
    private let maximumBytes: Int
    private let onBody: (UnsafeRawBufferPointer) -> Bool
    private let isCancelled: () -> Bool

    /// Creates a progress without received bytes.
    init(
        maximumBytes: UInt32, onBody: @escaping (UnsafeRawBufferPointer) -> Bool, isCancelled: @escaping () -> Bool
    ) {
        self.maximumBytes = Int(maximumBytes)
        self.onBody = onBody
        self.isCancelled = isCancelled
    }

    /// The object passed to libcurl; it outlives the transfer.
    static func of(_ context: UnsafeMutableRawPointer?) -> TransferProgress {
        guard let context else {
            return TransferProgress(maximumBytes: 0, onBody: { _ in false }, isCancelled: { true })
        }
        return Unmanaged<TransferProgress>.fromOpaque(context).takeUnretainedValue()
    }

    /// Counts a header line; returns the number of bytes accepted.
    func addHeader(count: Int) -> Int {
        headBytes += count
        guard headBytes <= Transfer.headLimit else {
            return stop(.failed(.malformed, detail: "the headers have more than \(Transfer.headLimit) bytes"))
        }
        return count
    }

    /// Passes on a piece of the body; returns the number of bytes accepted.
    func addBody(_ bytes: UnsafeRawBufferPointer) -> Int {
        bodyBytes += bytes.count
        guard bodyBytes <= maximumBytes else {
            return stop(.failed(.tooLarge, detail: "the body has more than \(maximumBytes) bytes"))
        }
        guard onBody(bytes) else { return stop(.failed(.other, detail: "the request was cancelled")) }
        return bytes.count
    }

    /// Whether the transfer must stop because the request was cancelled.
    var shouldStop: Bool {
        guard isCancelled() else { return false }
        _ = stop(.failed(.other, detail: "the request was cancelled"))
        return true
    }

    /// Stops the transfer; returns 0, which libcurl treats as an error.
    private func stop(_ report: RoutingReport) -> Int {
        if stopped == nil { stopped = report }
        return 0
    }
}

/// Maps libcurl's results to faults.
enum TransferFault {
    /// The fault of a result other than `CURLE_OK`.
    static func of(_ result: CURLcode, _ handle: UnsafeMutableRawPointer, hasProxy: Bool) -> RoutingFault {
        switch result {
        // With a proxy, libcurl itself connects only to the proxy.
        case CURLE_COULDNT_CONNECT where hasProxy: .proxy
        case CURLE_RECV_ERROR where hasProxy && posed_curl_number(handle, CURLINFO_HTTP_CONNECTCODE) >= 300: .proxy
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT, CURLE_UNSUPPORTED_PROTOCOL, CURLE_LOGIN_DENIED,
            CURLE_URL_MALFORMAT:
            posed_curl_number(handle, CURLINFO_REDIRECT_COUNT) > 0 ? .redirected : serverFault(result, handle)
        case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY: .proxy
        case CURLE_OPERATION_TIMEDOUT: timeoutFault(handle, hasProxy: hasProxy)
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

    /// The fault if the configured server (not a redirection target) was not reached.
    private static func serverFault(_ result: CURLcode, _ handle: UnsafeMutableRawPointer) -> RoutingFault {
        switch result {
        case CURLE_COULDNT_RESOLVE_HOST: .unknownHost
        case CURLE_COULDNT_CONNECT:
            posed_curl_number(handle, CURLINFO_OS_ERRNO) == Int(ECONNREFUSED) ? .refused : .unreachable
        default: .malformed
        }
    }

    /// The phase of the transfer in which the time limit expired.
    private static func timeoutFault(_ handle: UnsafeMutableRawPointer, hasProxy: Bool) -> RoutingFault {
        if hasProxy, posed_curl_time(handle, CURLINFO_CONNECT_TIME_T) == 0 { return .proxy }
        if posed_curl_time(handle, CURLINFO_NAMELOOKUP_TIME_T) == 0 { return .nameTooSlow }
        return posed_curl_time(handle, CURLINFO_CONNECT_TIME_T) == 0 ? .connectTooSlow : .answerTooSlow
    }
}
