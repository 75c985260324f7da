import FlyingFox

import struct Foundation.Data

/// Makes the responses, all with the headers that keep other sites out.
enum Responses {
    /// The page loads nothing from elsewhere, runs no script but its own files, and is shown in no frame.
    static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        + "manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

    static let common: HTTPHeaders = {
        var headers = HTTPHeaders()
        headers[HTTPHeader("Content-Security-Policy")] = policy
        headers[HTTPHeader("X-Content-Type-Options")] = "nosniff"
        headers[HTTPHeader("Referrer-Policy")] = "no-referrer"
        headers[HTTPHeader("Cross-Origin-Opener-Policy")] = "same-origin"
        headers[HTTPHeader("Cross-Origin-Resource-Policy")] = "same-origin"
        headers[HTTPHeader("Permissions-Policy")] = "geolocation=(), camera=(), microphone=()"
        headers[.cacheControl] = "no-cache"
        return headers
    }()

    static func json(_ data: Data, status: HTTPStatusCode = .ok, seconds: Int = 0) -> HTTPResponse {
        var headers = common
        headers[.contentType] = "application/json"
        if seconds > 0 { headers[.cacheControl] = "private, max-age=\(seconds)" }
        return HTTPResponse(statusCode: status, headers: headers, body: data)
    }

    static func text(_ text: String, status: HTTPStatusCode) -> HTTPResponse {
        var headers = common
        headers[.contentType] = "text/plain; charset=utf-8"
        return HTTPResponse(statusCode: status, headers: headers, body: Data((text + "\n").utf8))
    }

    static func html(_ text: String, status: HTTPStatusCode) -> HTTPResponse {
        var headers = common
        headers[.contentType] = "text/html; charset=utf-8"
        return HTTPResponse(statusCode: status, headers: headers, body: Data(text.utf8))
    }

    static func file(_ file: PageFiles.File, for request: HTTPRequest) -> HTTPResponse {
        var headers = common
        headers[.eTag] = file.tag
        if request.headers[.ifNoneMatch] == file.tag { return HTTPResponse(statusCode: .notModified, headers: headers) }
        headers[.contentType] = file.type
        headers[.contentLength] = String(file.data.count)
        return HTTPResponse(
            statusCode: .ok, headers: headers, body: HTTPBodySequence(data: file.data, suggestedBufferSize: 65_536))
    }

    /// The same without its text, for a request of the headers alone: the next response of the connection follows them
    /// at once.
    static func head(of response: HTTPResponse) -> HTTPResponse {
        guard case .httpBody(let body) = response.payload else { return response }
        var head = response
        if let count = body.count, response.statusCode != .notModified {
            head.headers[.contentLength] = String(count)
        }
        head.payload = .httpBody(HTTPBodySequence())
        return head
    }

    /// Asks for the token. It is sent with the address, and kept as a cookie that scripts cannot read.
    static let tokenForm = """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>posed: token</title>
        <link rel="icon" href="/icon.svg" type="image/svg+xml"><link rel="stylesheet" href="/style.css">
        <script src="/js/theme.js"></script>
        </head>
        <body>
        <main class="gate">
        <div class="card">
        <h1 class="brand"><img src="/icon.svg" alt="" width="28" height="28">posed</h1>
        <form action="/" method="get">
        <label>Token <input name="token" type="password" autocomplete="current-password" required></label>
        <button>Show the page</button>
        </form>
        <p>The token is the first line of the file that posed-web was started with (--token-file).</p>
        </div>
        </main>
        </body>
        </html>

        """

    /// Files without anything about the drive, which the form needs.
    static let filesOfForm: Set<String> = ["/style.css", "/icon.svg", "/js/theme.js"]
}
