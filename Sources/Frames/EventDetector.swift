/// Detects the changes between consecutive frames.
package struct EventDetector {
    private var last: Frame?

    /// A detector that has seen no frame.
    package init() {}

    /// The changes since the previous frame, in a fixed order. The first frame is compared with an empty one.
    package mutating func changes(to frame: Frame) -> [Message.Change] {
        let before = last ?? Frame()
        last = frame
        guard differs(before, frame) else { return [] }
        var changes: [Message.Change] = []
        if before.pose.resetCount != frame.pose.resetCount { changes.append(.reset(count: frame.pose.resetCount)) }
        if before.pose.originEpoch != frame.pose.originEpoch { changes.append(.origin(epoch: frame.pose.originEpoch)) }
        if before.pose.state != frame.pose.state { changes.append(.poseState(frame.pose.state)) }
        if before.guidance.routeVersion != frame.guidance.routeVersion {
            changes.append(.route(version: frame.guidance.routeVersion))
        }
        frame.guidance.log.forEach(after: before.guidance.log.count) { changes.append($0) }
        if before.guidance.state != frame.guidance.state { changes.append(.guidanceState(frame.guidance.state)) }
        for source in Message.SourceName.allCases where before.sources[source] != frame.sources[source] {
            changes.append(.source(source, frame.sources[source]))
        }
        return changes
    }

    private func differs(_ a: Frame, _ b: Frame) -> Bool {
        a.pose.resetCount != b.pose.resetCount || a.pose.originEpoch != b.pose.originEpoch
            || a.pose.state != b.pose.state
            || a.guidance.routeVersion != b.guidance.routeVersion || a.guidance.state != b.guidance.state
            || a.guidance.log.count != b.guidance.log.count || a.sources != b.sources
    }
}
