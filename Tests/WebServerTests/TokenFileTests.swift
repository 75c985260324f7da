import Foundation
import Testing

@testable import WebServer

@Suite struct TokenFileTests {
    private func read(_ text: String) throws -> String {
        let path = NSTemporaryDirectory() + "posed-token-\(UUID().uuidString)"
        defer { unlink(path) }
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        return try TokenFile.read(path)
    }

    @Test func theFirstLineIsTheToken() throws {
        #expect(try read("0123456789abcdef\nmore\n") == "0123456789abcdef")
        #expect(try read("A-b_3456\r\n") == "A-b_3456")
    }

    @Test(arguments: ["", "short", "has a blank in it", "quote\"12345678", String(repeating: "a", count: 129)])
    func whatIsNoTokenIsRefusedWithTheRemedy(text: String) {
        #expect { try read(text) } throws: { "\($0)".contains("openssl rand") }
    }

    @Test func aMissingFileIsRefusedWithTheRemedy() {
        #expect { try TokenFile.read("/nowhere/token") } throws: { "\($0)".contains("/nowhere/token: ") }
    }
}
