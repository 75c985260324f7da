import Glibc

/// The cost of a bridge beside a daemon on the simulated drive.
enum Bridge {
    /// The options of a bridge with files in a folder.
    static func settings(_ port: UInt16, _ folder: String, id: String) -> [String] {
        [
            "bridge.broker=127.0.0.1", "bridge.port=\(port)", "bridge.tls=false", "bridge.id=\(id)",
            "bridge.store_folder=\(folder)/messages", "sockets.folder=\(folder)", "bridge.rate_hz=10",
        ].flatMap { ["--set", $0] }
    }

    /// Measures a bridge at 10 Hz; `false` if it could not be.
    static func run(seconds: Int) -> Bool {
        guard let broker = Broker.start(),
            let daemon = Program(
                "\(Main.folder)/posed", ["--source", "simulated", "--set", "sockets.folder=\(broker.folder)"]),
            let bridge = Program("\(Main.folder)/posed-bridge", settings(broker.port, broker.folder, id: "board1"))
        else {
            print("bridge: no mosquitto, or no posed and posed-bridge in \(Main.folder); build them first")
            return false
        }
        // The start and the first connection are no part of it.
        sleep(3)
        let (before, start) = (Program.processorSeconds(of: bridge.id), Fleet.now)
        sleep(UInt32(seconds))
        let share = (Program.processorSeconds(of: bridge.id) - before) / (Double(Fleet.now - start) * 1e-9) * 100
        let (peak, now) = (Program.mebibytes(of: bridge.id, "VmHWM"), Program.mebibytes(of: bridge.id, "VmRSS"))
        print("bridge at 10 Hz: \((share * 100).rounded() / 100) % of a core (asked: 1)")
        print("bridge at 10 Hz: \(Main.tenths(now)) MiB, \(Main.tenths(peak)) MiB at most (asked: 16)")
        return share.isFinite && kill(daemon.id, 0) == 0
    }
}
