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
        #expect { try read(text) } throws: { "\($0)".contains("openssl rand -hex 16 | sudo install -m 640 -g posed ") }
    }

    @Test func aMissingFileIsRefusedWithTheRemedy() {
        // THEN the remedy is a command whose file the service may read, and not every user
        let remedy = "openssl rand -hex 16 | sudo install -m 640 -g posed /dev/stdin /nowhere/token"
        #expect {
            try TokenFile.read("/nowhere/token")
        } throws: {
            "\($0)".hasPrefix("/nowhere/token: ") && "\($0)".hasSuffix(remedy)
        }
    }
}
