import BoundedJSON
import Frames

// Members of a line by their names. Numbers are bounded before they are converted.

/// A value with a name on the wire.
protocol WireNamed: CaseIterable {
    var wireName: StaticString { get }
}

extension Frame.PoseState: WireNamed {}
extension Frame.GuidanceState: WireNamed {}
extension Frame.SourceState: WireNamed {}
extension Message.SourceName: WireNamed {}
extension Message.ByeReason: WireNamed {}
extension Message.SceneKind: WireNamed {}
extension Message.MountOrigin: WireNamed {}
extension Message.MagnetometerState: WireNamed {}
extension Message.Lane.Direction: WireNamed {}

extension WireNamed {
    /// The value with that name; `nil` for a name of a later release.
    init?(wireName: String?) {
        guard let match = Self.allCases.first(where: { $0.wireName.description == wireName }) else { return nil }
        self = match
    }
}

extension JSONValue {
    /// A text; empty if it is unknown.
    func text(_ name: String) -> String { self[name]?.string ?? "" }

    /// A value by its name on the wire.
    func named<Value: WireNamed>(_ name: String) -> Value? { Value(wireName: self[name]?.string) }

    /// A count of 32 bits; 0 if it is unknown.
    func count(_ name: String) -> UInt32 { UInt32(clamping: self[name]?.int ?? 0) }

    /// A count of 64 bits; 0 if it is unknown.
    func large(_ name: String) -> UInt64 { UInt64(clamping: self[name]?.int ?? 0) }

    /// An angle, from degrees to radians.
    func radians(_ name: String) -> Double? { self[name]?.double.map { $0 * .pi / 180 } }

    /// A time, from seconds to nanoseconds.
    func nanoseconds(_ name: String) -> Int64? {
        guard let seconds = self[name]?.double, abs(seconds) < 9.2e9 else { return nil }
        // The whole seconds apart, so that a UTC loses no more than its own rounding.
        let whole = seconds.rounded(.down)
        return Int64(whole) * 1_000_000_000 + Int64(((seconds - whole) * 1e9).rounded())
    }

    /// Three numbers.
    func triple(_ name: String) -> Frame.Triple? { self[name]?.triple(from: 0) }

    /// Three numbers of an array.
    func triple(from first: Int) -> Frame.Triple? {
        guard let x = self[first]?.double, let y = self[first + 1]?.double, let z = self[first + 2]?.double else {
            return nil
        }
        return Frame.Triple(x, y, z)
    }

    /// Four numbers: w, x, y, z.
    func quadruple(_ name: String) -> Frame.Quadruple? {
        guard let json = self[name], let w = json[0]?.double, let x = json[1]?.double, let y = json[2]?.double,
            let z = json[3]?.double
        else { return nil }
        return Frame.Quadruple(w, x, y, z)
    }
}

extension Frame.Triple {
    /// The vector multiplied by a factor.
    func times(_ factor: Double) -> Frame.Triple { Frame.Triple(x * factor, y * factor, z * factor) }
}
