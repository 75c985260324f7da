/// A value stored outside of what holds it, so that the holder stays small.
///
/// In place of an `indirect` case: the optimiser of Swift 6.3 may free the box of such a case before the content is
/// copied, where the content has no references (the address sanitizer found it).
public final class Boxed<Value: Sendable>: Sendable {
    /// The value.
    public let value: Value

    /// Stores a value.
    public init(_ value: Value) { self.value = value }
}
