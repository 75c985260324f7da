import Testing

@testable import Service

@Suite struct HTTPResponseTests {
    static func read(_ text: String, step: Int, ends: Bool = true) throws -> HTTPResponse {
        var response = HTTPResponse(maximumBytes: 1000)
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: step) {
            try response.take(bytes[start..<min(start + step, bytes.count)])
        }
        if ends, !response.isComplete { try response.end() }
        return response
    }

    /// GIVEN responses of every framing WHEN they come in pieces of any size THEN status and body are the same.
    @Test(arguments: [1, 2, 3, 7, 1000])
    func framings(step: Int) throws {
        for text in [
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "HTTP/1.0 200 OK\r\nServer: x\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\n2\r\nhe\r\n3;x=1\r\nllo\r\n0\r\n\r\n",
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length:5\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello and more",
        ] {
            let response = try Self.read(text, step: step)
            #expect(response.status == 200 && response.body == Array("hello".utf8) && response.isComplete, "\(text)")
        }
        #expect(try Self.read("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", step: step).status == 404)
    }

    /// GIVEN bytes that are no response, or too many, WHEN read THEN there is a fault.
    @Test(arguments: [
        "", "HTTP", "SSH-2.0-x\r\n\r\n", "HTTP/1.1 abc\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel",
        "HTTP/1.1 200 OK\r\nContent-Length: 2000\r\n\r\nhello", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
        "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFF\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n",
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nx",
        "HTTP/1.1 200 OK\r\n\r\n" + String(repeating: "x", count: 1001), String(repeating: "x", count: 70_000),
    ])
    func faults(text: String) {
        for step in [1, 1000] { #expect(throws: HTTPResponse.Fault.self) { try Self.read(text, step: step) } }
    }
}
