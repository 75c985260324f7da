import Dispatch
import Frames
import Guidance
import KeptLog
import Logging
import Platform
import Synchronization
import Testing

@testable import Horizon

/// A worker with its questions, whose log and answers are kept; it tells when it has answered all of them.
final class WorkerRun: Sendable {
    private let lines = LogLines()
    private let questions = Mutex<[Frame]>([])
    private let asked = Mutex<[UInt32]>([])
    private let answers = Mutex<[SpeedHorizon]>([])
    private let idle = DispatchSemaphore(value: 0)
    private let kept = Mutex<HorizonWorker?>(nil)

    init() {
        kept.withLock {
            $0 = HorizonWorker(
                log: Logger(label: "test") { [lines] _ in lines }, wakeUp: EventFD(),
                nextQuestion: { [weak self] in self?.next() },
                route: { [weak self] version in
                    self?.asked.withLock { $0.append(version) }
                    return nil
                },
                publishSpeedHorizon: { [weak self] answer in self?.answers.withLock { $0.append(answer) } })
        }
    }

    deinit { kept.withLock { $0 }?.stop() }

    private func next() -> Frame? {
        let frame = questions.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        if frame == nil { idle.signal() }
        return frame
    }

    /// Does something that wakes the thread, with questions, and waits until it has nothing to do.
    func wake(_ frames: [Frame] = [], _ body: (HorizonWorker) -> Void) throws -> HorizonWorker {
        questions.withLock { $0 = frames }
        let worker = try #require(kept.withLock { $0 })
        body(worker)
        #expect(idle.wait(timeout: .now() + 60) == .success)
        return worker
    }

    var log: [String] { lines.labelled }
    /// Routes that were asked for.
    var versions: [UInt32] { asked.withLock { $0 } }
    var times: [Int64] { answers.withLock { $0.map(\.time.nanoseconds) } }
    var limitSources: [SpeedLimitSource] { answers.withLock { $0.map(\.limitSource) } }
}
