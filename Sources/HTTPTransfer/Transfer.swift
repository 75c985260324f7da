import CCurl
import RoutingProtocol

/// One HTTP request with libcurl, within the limits of its ``RoutingCall``.
///
/// Blocks until it ends. It buffers at most one piece of the body and the current header line, whatever the server
/// sends.
public struct Transfer {
    /// Maximum number of redirections.
    public static let redirectionLimit = 5
    /// Maximum total size of all headers, bytes: interim responses, redirections and trailers included.
    public static let headLimit = 262_144

    private let call: RoutingCall

    /// Creates a transfer.
    public init(_ call: RoutingCall) { self.call = call }

    /// Performs the request.
    ///
    /// `onBody` receives the pieces of the body and returns whether it accepted them; `isCancelled` is called at least
    /// once a second.
    public func perform(onBody: @escaping (UnsafeRawBufferPointer) -> Bool, isCancelled: @escaping () -> Bool)
        -> RoutingReport
    {
        guard curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK, let handle = curl_easy_init() else {
            return .failed(.other, detail: "cannot initialise libcurl")
        }
        defer { curl_easy_cleanup(handle) }
        let progress = TransferProgress(maximumBytes: call.maximumBytes, onBody: onBody, isCancelled: isCancelled)
        let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        defer { errorText.deallocate() }
        var options = TransferOptions(handle: handle)
        options.pointer(CURLOPT_ERRORBUFFER, errorText)
        options.setRequest(call)
        options.setLimits(call)
        let fields = options.fields(of: call)
        defer { curl_slist_free_all(fields) }
        options.setCallbacks(Unmanaged.passUnretained(progress).toOpaque())
        guard options.areSet else { return .failed(.misused, detail: Self.text(errorText, options.failure)) }
        let result = withExtendedLifetime(progress) { curl_easy_perform(handle) }
        let status = posed_curl_number(handle, CURLINFO_RESPONSE_CODE)
        if result == CURLE_OK {
            guard let status = UInt16(exactly: status), (200...599).contains(status) else {
                return .failed(.malformed, detail: "invalid HTTP status \(status)")
            }
            return .answered(status: status)
        }
        if let stopped = progress.stopped { return stopped }
        let fault = TransferFault.of(result, handle, hasProxy: call.proxy?.isEmpty == false)
        return .failed(fault, detail: Self.text(errorText, result))
    }

    /// The library's error text, printable.
    private static func text(_ buffer: UnsafePointer<CChar>, _ result: CURLcode) -> String {
        let own = String(cString: buffer)
        let text = own.isEmpty ? String(cString: curl_easy_strerror(result)) : own
        return printable(text)
    }

    /// A text without control characters.
    static func printable(_ text: String) -> String {
        String(text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }.map(Character.init))
    }
}

/// Sets the options of a transfer and keeps the first failure.
struct TransferOptions {
    /// The transfer.
    let handle: UnsafeMutableRawPointer
    /// Result of the first option that could not be set; `CURLE_OK` if all were set.
    private(set) var failure = CURLE_OK

    /// Creates options for a handle.
    init(handle: UnsafeMutableRawPointer) { self.handle = handle }

    /// Whether all options were set.
    var areSet: Bool { failure == CURLE_OK }

    private mutating func note(_ result: CURLcode) { if failure == CURLE_OK { failure = result } }
    private mutating func text(_ option: CURLoption, _ text: String) {
        note(posed_curl_set_text(handle, option, text))
    }
    private mutating func number(_ option: CURLoption, _ value: Int) {
        note(posed_curl_set_number(handle, option, value))
    }

    /// Sets a pointer option; the caller keeps the object alive.
    mutating func pointer(_ option: CURLoption, _ pointer: UnsafeMutableRawPointer) {
        note(posed_curl_set_pointer(handle, option, pointer))
    }

    /// Sets method, URL, body, proxy and certificates.
    mutating func setRequest(_ call: RoutingCall) {
        text(CURLOPT_URL, call.url)
        text(CURLOPT_USERAGENT, call.agent)
        // An empty text means no proxy, or no server that is asked without it. Without these libcurl would use the
        // environment variables.
        text(CURLOPT_PROXY, call.proxy ?? "")
        text(CURLOPT_NOPROXY, "")
        if let file = call.authorityFile { text(CURLOPT_CAINFO, file) }
        // The limits apply to the decompressed body, so that a small response cannot expand without limit.
        text(CURLOPT_ACCEPT_ENCODING, "gzip, deflate")
        if let body = call.body {
            note(posed_curl_set_size(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count)))
            body.withUnsafeBytes {
                // libcurl copies the body.
                note(posed_curl_set_text(handle, CURLOPT_COPYPOSTFIELDS, $0.bindMemory(to: CChar.self).baseAddress))
            }
            // A POST remains a POST after a redirection, whatever its status.
            number(CURLOPT_POSTREDIR, Int(CURL_REDIR_POST_301 | CURL_REDIR_POST_302 | CURL_REDIR_POST_303))
        }
    }

    /// Sets all limits.
    mutating func setLimits(_ call: RoutingCall) {
        number(CURLOPT_TIMEOUT_MS, Int(call.limitMilliseconds))
        number(CURLOPT_NOSIGNAL, 1)
        // A pending name lookup does not delay the end.
        number(CURLOPT_QUICK_EXIT, 1)
        note(posed_curl_set_size(handle, CURLOPT_MAXFILESIZE_LARGE, curl_off_t(call.maximumBytes)))
        number(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
        text(CURLOPT_PROTOCOLS_STR, "http,https")
        number(CURLOPT_FOLLOWLOCATION, 1)
        number(CURLOPT_MAXREDIRS, Transfer.redirectionLimit)
        // An encrypted request must not be redirected to an unencrypted address.
        text(CURLOPT_REDIR_PROTOCOLS_STR, call.url.hasPrefix("https:") ? "https" : "http,https")
        number(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
    }

    /// Header fields that libcurl does not set itself; the caller frees them after the transfer.
    mutating func fields(of call: RoutingCall) -> UnsafeMutablePointer<curl_slist>? {
        var list: UnsafeMutablePointer<curl_slist>?
        // Disables "Expect: 100-continue", so that the body is sent without waiting.
        for field in ["Accept: application/json", "Expect:"]
            + (call.body == nil ? [] : ["Content-Type: application/json"])
        {
            guard let longer = curl_slist_append(list, field) else {
                note(CURLE_OUT_OF_MEMORY)
                break
            }
            list = longer
        }
        if let list { pointer(CURLOPT_HTTPHEADER, list) }
        return list
    }

    /// Installs the callbacks for header, body and progress.
    mutating func setCallbacks(_ context: UnsafeMutableRawPointer) {
        pointer(CURLOPT_HEADERDATA, context)
        pointer(CURLOPT_WRITEDATA, context)
        pointer(CURLOPT_XFERINFODATA, context)
        number(CURLOPT_NOPROGRESS, 0)
        note(
            posed_curl_set_taker(handle, CURLOPT_HEADERFUNCTION) { _, size, count, context in
                TransferProgress.of(context).addHeader(count: size.multipliedClamping(by: count))
            })
        note(
            posed_curl_set_taker(handle, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
                let bytes = UnsafeRawBufferPointer(start: bytes, count: size.multipliedClamping(by: count))
                return TransferProgress.of(context).addBody(bytes)
            })
        note(
            posed_curl_set_observer(handle) { context, _, _, _, _ in
                TransferProgress.of(context).shouldStop ? 1 : 0
            })
    }
}

extension Int {
    /// The product of two sizes, clamped. libcurl's sizes never exceed a buffer.
    fileprivate func multipliedClamping(by other: Int) -> Int {
        let (product, isTooLarge) = multipliedReportingOverflow(by: other)
        return isTooLarge ? 0 : product
    }
}
