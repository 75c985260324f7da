import Bridge
import Frames
import Glibc
import MessageStore

/// A day off line: a store with 24 hours of poses and guidance at 1 Hz, which a bridge delivers to the office.
enum Backlog {
    /// The board of these messages, of which `bridge.id` must be the name.
    static let board = "board1"

    /// Writes a store and lets a bridge deliver it; `false` if a message was lost or came out of order.
    static func run(hours: Int) -> Bool {
        guard let broker = Broker.start(), write(hours: hours, folder: "\(broker.folder)/messages") else {
            print("backlog: no mosquitto, or no room in /tmp")
            return false
        }
        let fleet = Fleet(port: broker.port)
        fleet.awaitOffice()
        let begin = Fleet.now
        guard
            let bridge = Program(
                "\(Main.folder)/posed-bridge", Bridge.settings(broker.port, broker.folder, id: board))
        else {
            print("backlog: \(Main.folder)/posed-bridge cannot be started; build it first")
            return false
        }
        let isWhole = fleet.receive(hours * 7200, withinSeconds: 600)
        let counts = fleet.counts
        let seconds = Main.tenths(Double(Fleet.now - begin) * 1e-9)
        print("received \(counts.received) within \(seconds) s of the bridge's start (asked: 60 s)")
        print("lost \(counts.lost), repeated or out of order \(counts.repeated)")
        let (peak, now) = (Program.mebibytes(of: bridge.id, "VmHWM"), Program.mebibytes(of: bridge.id, "VmRSS"))
        print("bridge: \(Main.tenths(peak)) MiB at most (asked: 16), \(Main.tenths(now)) MiB afterwards")
        return isWhole && counts.lost == 0 && counts.repeated == 0
    }

    /// Writes a store into a folder and tells its size. The numbers of the messages begin at 0.
    static func write(hours: Int, folder: String) -> Bool {
        guard var store = try? MessageStore(folder: folder, limit: 64 << 20) else {
            print("\(folder): cannot be created; choose another folder")
            return false
        }
        var writer = MessageWriter(
            identity: BoardIdentity(id: board, boot: "00"), sequence: MessageSequence(sinceBootNanoseconds: 0))
        var frame = Fleet.frame
        frame.guidance.state = .onRoute
        for second in 0..<hours * 3600 {
            vary(&frame, second)
            for (channel, topics) in [(Channel.pose, Topics.pose), (.guidance, [.guidance, .speed])] {
                store.append(
                    StoredMessage(
                        channel: channel.rawValue, isThinnable: true,
                        payload: writer.frame(frame, topics: topics, dropped: 0)))
            }
        }
        store.synchronize()
        let mebibytes = (Double(store.diskSize) / 104_857.6).rounded() / 10
        print("\(hours) h: \(hours * 7200) messages in \(mebibytes) MiB, \(store.counters.thinned) left out")
        return store.counters.thinned == 0
    }

    /// Changes every quantity of a frame as noise does, so that messages compress as badly as those of a drive.
    private static func vary(_ frame: inout Frame, _ second: Int) {
        var state = UInt64(second) &* 0x9E37_79B9_7F4A_7C15
        func noise() -> Double {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Double(state >> 40) / Double(1 << 24)
        }
        func triple() -> Frame.Triple { Frame.Triple(noise(), noise(), noise()) }
        frame.sequence = UInt64(second) * 100
        frame.utcNanoseconds = 1_785_000_000_000_000_000 + Int64(second) * 1_000_000_000
        frame.pose.latitudeRadians = 0.78 + noise() * 1e-3
        frame.pose.longitudeRadians = -0.52 + noise() * 1e-3
        (frame.pose.positionENUMeters, frame.pose.positionSigmaENUMeters) = (triple(), triple())
        (frame.pose.velocityENUMetersPerSecond, frame.pose.accelerationENUMetersPerSecondSquared) = (triple(), triple())
        (frame.pose.rollRadians, frame.pose.pitchRadians, frame.pose.headingTrueRadians) = (noise(), noise(), noise())
        (frame.guidance.progressMeters, frame.guidance.crossTrackMeters) = (noise() * 1e4, noise())
        (frame.guidance.distanceToTurnMeters, frame.guidance.distanceLeftMeters) = (noise() * 1e3, noise() * 1e4)
        frame.speed.speedMetersPerSecond = noise() * 30
    }
}
