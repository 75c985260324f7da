import Foundation

@testable import MessageStore

/// A folder for the store of one test; goes with it.
final class StoreFolder {
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("posed-store-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The names of the files in their order.
    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }

    /// The size of all files, bytes.
    var size: Int {
        names.reduce(0) { sum, name in
            let attributes = try? FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")
            return sum + ((attributes?[.size] as? Int) ?? 0)
        }
    }

    func bytes(_ name: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)")) }

    func write(_ data: Data, to name: String) throws { try data.write(to: URL(fileURLWithPath: "\(path)/\(name)")) }
}

/// A message with a number that later tells which one it is, padded with text that compresses badly.
func numbered(_ number: Int, isThinnable: Bool = true, padding: Int = 200) -> StoredMessage {
    var text = "\(number) "
    var state = UInt64(number) &* 0x9E37_79B9_7F4A_7C15
    while text.utf8.count < padding {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        text += String(state >> 20, radix: 36)
    }
    return StoredMessage(channel: 1, isThinnable: isThinnable, payload: Array(text.utf8))
}

/// The number of a message.
func number(of message: StoredMessage) -> Int? {
    Int(String(decoding: message.payload.prefix { $0 != 0x20 }, as: UTF8.self))
}

extension MessageStore {
    /// Gives out all messages and acknowledges each.
    mutating func drain() -> [Int] {
        var numbers: [Int] = []
        while let next = take() {
            numbers.append(number(of: next.message) ?? -1)
            acknowledge(next.place)
        }
        return numbers
    }
}
