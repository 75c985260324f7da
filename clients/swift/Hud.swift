import Frames
import Glibc
import PosedClient

/// Prints a line for a head-up display. usage: posed-hud-example [SOCKET] [LINES]
@main struct Hud {
    static func main() {
        let arguments = CommandLine.arguments
        var wanted = Message.Subscription(topics: [.pose, .speed, .guidance], rateMillihertz: 10_000)
        wanted.isSmooth = true
        var client = FrameClient(path: arguments.count > 1 ? arguments[1] : "/run/posed/frames", subscription: wanted)
        var lines = Int(arguments.dropFirst(2).first ?? "") ?? -1
        while lines != 0, fflush(nil) == 0 {
            guard let frame = client.latestFrame(timeoutSeconds: 1)?.frame else {
                print("no pose")
                continue
            }
            func text(_ value: Double?, _ unit: Double = 1) -> String {
                value.map { "\(Int(($0 * unit).rounded()))" } ?? "---"
            }
            var line = "\(text(frame.pose.headingTrueRadians, 180 / .pi)) deg"
            line += "  \(text(frame.speed.speedMetersPerSecond, 3.6)) km/h"
            if let limit = frame.speed.limitMetersPerSecond { line += " of \(text(limit, 3.6))" }
            if let turn = frame.guidance.distanceToTurnMeters { line += "  turn in \(text(turn)) m" }
            print(line + (frame.pose.state == .aligned ? "" : "  (uncertain)"))
            lines -= 1
        }
    }
}
