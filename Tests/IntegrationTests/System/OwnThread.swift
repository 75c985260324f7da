import Foundation

/// Runs what mostly waits on a thread of its own. The test runner has one thread for each processor, and a test that
/// blocks one of them for a minute keeps the others waiting.
func onThreadOfItsOwn<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread { continuation.resume(with: Result(catching: body)) }.start()
    }
}
