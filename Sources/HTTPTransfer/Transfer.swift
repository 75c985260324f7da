import CCurl
import RoutingProtocol

/// One HTTP request by libcurl, within the bounds of its ``RoutingCall``.
///
/// Blocks until its end. Whatever a server sends, it holds at most one piece of the body and the head's current line.
public struct Transfer {
    /// Most redirections that are followed.
    public static let redirectionLimit = 5
    /// Most bytes of all heads together: interim answers, redirections, and trailers as well.
    public static let headLimit = 262_144

    private let call: RoutingCall

    /// A transfer that has not begun.
    public init(_ call: RoutingCall) { self.call = call }

    /// Carries it out.
    ///
    /// `take` is given the body as it comes and says whether it could use it; `isAbandoned` is asked at least once a
    /// second whether nobody waits any more.
    public func perform(take: @escaping (UnsafeRawBufferPointer) -> Bool, isAbandoned: @escaping () -> Bool)
        -> RoutingReport
    {
        guard curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK, let handle = curl_easy_init() else {
            return .failed(.other, detail: "libcurl cannot be set up")
        }
        defer { curl_easy_cleanup(handle) }
        let progress = TransferProgress(maximumBytes: call.maximumBytes, take: take, isAbandoned: isAbandoned)
        let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        defer { errorText.deallocate() }
        var options = TransferOptions(handle: handle)
        options.pointer(CURLOPT_ERRORBUFFER, errorText)
        options.ask(call)
        options.bound(call)
        let fields = options.fields(of: call)
        defer { curl_slist_free_all(fields) }
        options.observe(Unmanaged.passUnretained(progress).toOpaque())
        guard options.areSet else { return .failed(.misused, detail: Self.text(errorText, options.failure)) }
        let result = withExtendedLifetime(progress) { curl_easy_perform(handle) }
        let status = posed_curl_number(handle, CURLINFO_RESPONSE_CODE)
        if result == CURLE_OK {
            guard let status = UInt16(exactly: status), (200...599).contains(status) else {
                return .failed(.malformed, detail: "its status is \(status)")
            }
            return .answered(status: status)
        }
        if let stopped = progress.stopped { return stopped }
        return .failed(TransferFault.of(result, handle), detail: Self.text(errorText, result))
    }

    /// The library's own words, printable.
    private static func text(_ buffer: UnsafePointer<CChar>, _ result: CURLcode) -> String {
        let own = String(cString: buffer)
        let text = own.isEmpty ? String(cString: curl_easy_strerror(result)) : own
        return String(text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }.map(Character.init))
    }
}

/// Sets the options of a transfer; remembers the first that could not be set.
struct TransferOptions {
    /// The transfer.
    let handle: UnsafeMutableRawPointer
    /// Why an option could not be set; `CURLE_OK` where all could.
    private(set) var failure = CURLE_OK

    /// Nothing set yet.
    init(handle: UnsafeMutableRawPointer) { self.handle = handle }

    /// Whether every option was taken.
    var areSet: Bool { failure == CURLE_OK }

    private mutating func note(_ result: CURLcode) { if failure == CURLE_OK { failure = result } }
    private mutating func text(_ option: CURLoption, _ text: String) {
        note(posed_curl_set_text(handle, option, text))
    }
    private mutating func number(_ option: CURLoption, _ value: Int) {
        note(posed_curl_set_number(handle, option, value))
    }

    /// A pointer that the caller keeps alive.
    mutating func pointer(_ option: CURLoption, _ pointer: UnsafeMutableRawPointer) {
        note(posed_curl_set_pointer(handle, option, pointer))
    }

    /// What is asked, of whom, and by which way.
    mutating func ask(_ call: RoutingCall) {
        text(CURLOPT_URL, call.url)
        text(CURLOPT_USERAGENT, call.agent)
        // An empty text means no proxy; without it the variables of the environment would count.
        text(CURLOPT_PROXY, call.proxy ?? "")
        if let file = call.authorityFile { text(CURLOPT_CAINFO, file) }
        // What was packed is counted unpacked, so that a small answer cannot become a large one unseen.
        text(CURLOPT_ACCEPT_ENCODING, "gzip, deflate")
        if let body = call.body {
            note(posed_curl_set_size(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count)))
            body.withUnsafeBytes {
                // Copied by the library.
                note(posed_curl_set_text(handle, CURLOPT_COPYPOSTFIELDS, $0.bindMemory(to: CChar.self).baseAddress))
            }
            // What was posted is posted to the next address too, whatever the status of the redirection.
            number(CURLOPT_POSTREDIR, Int(CURL_REDIR_POST_301 | CURL_REDIR_POST_302 | CURL_REDIR_POST_303))
        }
    }

    /// Every bound.
    mutating func bound(_ call: RoutingCall) {
        number(CURLOPT_TIMEOUT_MS, Int(call.limitMilliseconds))
        number(CURLOPT_NOSIGNAL, 1)
        // A name that is still looked up is not waited for at the end.
        number(CURLOPT_QUICK_EXIT, 1)
        note(posed_curl_set_size(handle, CURLOPT_MAXFILESIZE_LARGE, curl_off_t(call.maximumBytes)))
        number(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
        text(CURLOPT_PROTOCOLS_STR, "http,https")
        number(CURLOPT_FOLLOWLOCATION, 1)
        number(CURLOPT_MAXREDIRS, Transfer.redirectionLimit)
        // What was asked for encrypted is not asked for in the clear.
        text(CURLOPT_REDIR_PROTOCOLS_STR, call.url.hasPrefix("https:") ? "https" : "http,https")
        number(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
    }

    /// The fields of the head that the library does not choose itself; the caller frees them after the transfer.
    mutating func fields(of call: RoutingCall) -> UnsafeMutablePointer<curl_slist>? {
        var list: UnsafeMutablePointer<curl_slist>?
        // Without a wait for leave to send the body.
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

    /// Hands head, body and progress to a ``TransferProgress``.
    mutating func observe(_ context: UnsafeMutableRawPointer) {
        pointer(CURLOPT_HEADERDATA, context)
        pointer(CURLOPT_WRITEDATA, context)
        pointer(CURLOPT_XFERINFODATA, context)
        number(CURLOPT_NOPROGRESS, 0)
        note(
            posed_curl_set_taker(handle, CURLOPT_HEADERFUNCTION) { _, size, count, context in
                TransferProgress.of(context).takeHead(count: size.multipliedClamping(by: count))
            })
        note(
            posed_curl_set_taker(handle, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
                let bytes = UnsafeRawBufferPointer(start: bytes, count: size.multipliedClamping(by: count))
                return TransferProgress.of(context).takeBody(bytes)
            })
        note(
            posed_curl_set_observer(handle) { context, _, _, _, _ in
                TransferProgress.of(context).isToEnd ? 1 : 0
            })
    }
}

extension Int {
    /// The product of two sizes, which for one of libcurl's is never more than a buffer.
    fileprivate func multipliedClamping(by other: Int) -> Int {
        let (product, isTooLarge) = multipliedReportingOverflow(by: other)
        return isTooLarge ? 0 : product
    }
}
