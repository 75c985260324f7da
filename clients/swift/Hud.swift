import Frames
import Glibc

/// Prints a line for a head-up display. usage: posed-hud-example [SOCKET] [LINES]
@main struct Hud {
    static func main() {
        let arguments = CommandLine.arguments
        var wanted = Message.Subscription(topics: [.pose, .speed, .guidance], rateMillihertz: 10_000)
        wanted.isSmooth = true
        var client = FrameClient(path: arguments.count > 1 ? arguments[1] : "/run/posed/frames", subscription: wanted)
        var lines = arguments.count > 2 ? Int(arguments[2]) ?? -1 : -1
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
            print(line + (frame.pose.state == .aligned ? "" : "  (uncertain)"))
            fflush(nil)
            lines -= 1
        }
    }
}
