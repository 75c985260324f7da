import Frames
import Glibc

/// A line for a head-up display. usage: posed-hud-example [SOCKET] [LINES]
@main struct Hud {
    static func main() {
        let words = CommandLine.arguments
        var wish = Message.Subscription(topics: [.pose, .speed, .guidance], rateMillihertz: 10_000)
        wish.isSmooth = true
        var client = FrameClient(path: words.count > 1 ? words[1] : "/run/posed/frames", subscription: wish)
        var lines = words.count > 2 ? Int(words[2]) ?? -1 : -1
        while lines != 0 {
            guard let frame = client.latestFrame(timeoutSeconds: 1)?.frame else {
                print("no pose")
                continue
            }
            func text(_ value: Double?, _ factor: Double = 1) -> String {
                value.map { String(Int(($0 * factor).rounded())) } ?? "---"
            }
            var line = "\(text(frame.pose.headingTrueRadians, 180 / .pi)) deg"
            line += "  \(text(frame.speed.speedMetersPerSecond, 3.6)) km/h"
            if let limit = frame.speed.limitMetersPerSecond { line += " of \(text(limit, 3.6))" }
            if let turn = frame.guidance.distanceToTurnMeters { line += "  turn in \(text(turn)) m" }
            print(line + (frame.pose.state == .aligned ? "" : "  (not sure)"))
            fflush(nil)
            lines -= 1
        }
    }
}
