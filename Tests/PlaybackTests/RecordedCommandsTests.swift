import Engine
import Guidance
import PoseMath
import Synchronization
import Testing

@testable import Playback

/// Which commands of a recording an engine gets that plays it.
@Suite struct RecordedCommandsTests {
    /// What the engine and the follower of routes get, a word each.
    private final class Kept: Sendable {
        private let words = Mutex<[String]>([])

        func note(_ word: String) { words.withLock { $0.append(word) } }

        func submit(_ command: EngineCommand) {
            switch command {
            case .setSpeedHorizon(let answer): note("road \(answer.progressMeters ?? -1)")
            case .reset(let past): note(past == nil ? "reset" : "reset with a past")
            case .setHeadingTrim(let angle): note("trim \(angle)")
            case .setDeclination: note("declination")
            default: note("\(command)")
            }
        }

        func take() -> [String] {
            words.withLock { words in
                defer { words = [] }
                return words
            }
        }
    }

    private static func answer(_ progress: Double) -> SpeedHorizon {
        var answer = SpeedHorizon(time: MonotonicTime(nanoseconds: 1))
        answer.progressMeters = progress
        return answer
    }

    @Test func recordedAnswersReplaceThoseThatAreComputed() {
        // GIVEN a recording played without a road file
        let kept = Kept()
        let commands = RecordedCommands(hasRoads: false, follow: nil, submit: { kept.submit($0) })
        // WHEN answers are computed THEN they are used until the first recorded one
        commands.takeComputed(Self.answer(1))
        commands.take(.setSpeedHorizon(Self.answer(2)))
        commands.takeComputed(Self.answer(3))
        commands.take(.setSpeedHorizon(Self.answer(4)))
        #expect(kept.take() == ["road 1.0", "road 2.0", "road 4.0"])
    }

    @Test func aRoadFileReplacesTheRecordedAnswers() {
        // GIVEN a recording played with a road file THEN only what is computed with it is used
        let kept = Kept()
        let commands = RecordedCommands(hasRoads: true, follow: nil, submit: { kept.submit($0) })
        commands.take(.setSpeedHorizon(Self.answer(2)))
        commands.takeComputed(Self.answer(3))
        #expect(kept.take() == ["road 3.0"])
    }

    @Test func aRecordedRouteIsFollowedUnlessAnotherIsGiven() {
        // GIVEN a recorded route that is taken away THEN the follower is told, and the engine is not: it gets its route
        // from the follower
        let kept = Kept()
        let following = RecordedCommands(
            hasRoads: false, follow: { kept.note($0 == nil ? "no route" : "route") }, submit: { kept.submit($0) })
        following.take(.setRoute(nil, version: 3))
        #expect(kept.take() == ["no route"])
        // AND where another route is given nobody gets it
        RecordedCommands(hasRoads: false, follow: nil, submit: { kept.submit($0) }).take(.setRoute(nil, version: 3))
        #expect(kept.take().isEmpty)
    }

    @Test func theOtherCommandsReachTheEngine() {
        // GIVEN a reset with the past of the recorded engine, and two other commands
        let kept = Kept()
        let commands = RecordedCommands(hasRoads: true, follow: nil, submit: { kept.submit($0) })
        commands.take(.reset(after: EnginePast()))
        commands.take(.setHeadingTrim(radians: 0.5))
        commands.take(.setDeclination(nil))
        // THEN all arrive, the reset without that past, whose times are others
        #expect(kept.take() == ["reset", "trim 0.5", "declination"])
    }
}
