import CBench
import Demo
import Engine
import Frames
import Geodesy
import Glibc
import Measurements
import Simulation

/// What grows slowly: a simulated day through the engine, and an hour of the daemon with clients of every kind.
struct SoakBench {
    /// Path of posed.
    var program: String
    /// How long the daemon runs, minutes.
    var minutes: Double

    /// Measures and reports.
    func run() throws {
        try driveForADay()
        try serve()
    }

    // MARK: - The engine

    /// Length of the simulated drive, and what comes before memory and errors count, seconds.
    private static let (daySeconds, beginningSeconds) = (86_400.0, 600.0)

    /// The demo drive, lap after lap, as fast as it goes.
    private func driveForADay() throws {
        let simulation = try DemoDrive.simulation()
        let process = getpid()
        var (engine, day) = (Engine(), DriveTally())
        for event in simulation {
            let seconds = event.arrivalTime.seconds
            guard seconds < Self.daySeconds else { break }
            if day.startKibibytes == nil, seconds >= Self.beginningSeconds {
                day.startKibibytes = ChildProcess.residentKibibytes(of: process)
            }
            let before = bench_allocation_count()
            let isNew = engine.ingest(event)
            guard seconds >= Self.beginningSeconds, isNew else { continue }
            day.allocations += bench_allocation_count() - before
            day.note(engine.frame.pose, truth: { simulation.drive.place(atSeconds: seconds).position })
        }
        let grown = (ChildProcess.residentKibibytes(of: process) ?? .nan) - (day.startKibibytes ?? .nan)
        let exact = [
            ("frames that are not whole or not finite", day.unsoundFrames),
            ("seconds beyond 6 sigma and 3 m", day.wrongSeconds), ("jumps of the pose", day.jumps),
            ("heap allocations", Int(day.allocations)),
        ]
        Report.add(Figure(name: "a simulated day: frames", value: Double(day.frames), unit: "", limit: .none))
        for (name, count) in exact {
            Report.add(Figure(name: "  \(name)", value: Double(count), unit: "", limit: .atMost(0)))
        }
        Report.add(Figure(name: "  largest error", value: day.largestMeters, unit: "m", limit: .none))
        Report.add(Figure(name: "  memory grown", value: grown / 1024, unit: "MiB", limit: .atMost(1)))
        let broken = exact.filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" }
        guard broken.isEmpty, day.frames > 8_000_000 else {
            throw BrokenCount(description: "a simulated day, \(day.frames) frames: \(broken.joined(separator: ", "))")
        }
    }

    /// The frames of a long drive.
    private struct DriveTally {
        var startKibibytes: Double?
        var (allocations, frames) = (UInt64(0), 0)
        var (unsoundFrames, wrongSeconds, jumps) = (0, 0, 0)
        var largestMeters = 0.0
        private var resetCount: UInt32?

        /// One frame; each hundredth is compared with the true position.
        mutating func note(_ pose: Frame.Pose, truth: () -> GeodeticPosition) {
            frames += 1
            jumps += pose.resetCount != resetCount ?? pose.resetCount ? 1 : 0
            resetCount = pose.resetCount
            guard let latitude = pose.latitudeRadians, let longitude = pose.longitudeRadians,
                let height = pose.altitudeEllipsoidMeters, let sigma = pose.positionSigmaENUMeters,
                let velocity = pose.velocityENUMetersPerSecond, let heading = pose.headingTrueRadians,
                (latitude + longitude + height + sigma.x + sigma.y + velocity.x + velocity.y + heading).isFinite
            else { return unsoundFrames += 1 }
            guard frames % 100 == 0 else { return }
            let place = GeodeticPosition(
                latitudeRadians: latitude, longitudeRadians: longitude, altitudeEllipsoidMeters: height)
            let offset = truth().surfaceOffsetMeters(to: place)
            let meters = hypot(offset.east, offset.north)
            largestMeters = max(largestMeters, meters)
            if meters > 6 * hypot(sigma.x, sigma.y) + 3 { wrongSeconds += 1 }
        }
    }

    // MARK: - The daemon

    private static let clients = 16
    /// Other connections are opened and closed at this rate.
    private static let reconnectionHertz = 2.0

    /// Clients of every kind, a recorder, other routes and reconnections.
    private func serve() throws {
        FanOutLoad.allowDescriptors()
        let recordings = try TemporaryFolder()
        // The index of a file is kept until its end: short files show whether anything else grows.
        let recording = ["mode=always", "folder=\(recordings.path)", "file_mib=4", "total_mib=32"]
        let load = FanOutLoad(
            clients: Self.clients, rateHertz: 200, seconds: minutes * 60, tailLimit: 2, receiverPriority: 10,
            settings: recording.map { "recording.\($0)" })
        var (companions, others): (SoakCompanions?, pid_t) = (nil, -1)
        let result = try load.measureDaemon(program) { daemon, frames in
            let folder = String(frames.dropLast("/frames".utf8.count))
            let running = try SoakCompanions(folder: folder, daemon: daemon)
            running.start()
            companions = running
            others = bench_start_storm(
                frames, Int64(1e9 / Self.reconnectionHertz), Int32(load.seconds * Self.reconnectionHertz) - 8)
        } afterwards: { _ in
            companions?.stop()
        }
        if others > 0 {
            var status: Int32 = 0
            waitpid(others, &status, 0)
        }
        guard let seen = companions?.tally else { throw BenchError("no client of the stream was served") }
        try report(result, seen, Folder.names(in: recordings.path).count { $0.hasSuffix(".mcap") })
    }

    private func report(_ result: FanOutResult, _ seen: SoakCompanions.Tally, _ recordings: Int) throws {
        let name = "\(Int(minutes)) min, \(Self.clients) clients x 200 Hz, \(SoakCompanions.clients) of the stream"
        Report.add(
            Figure(
                name: "\(name): frames lost", value: Double(result.told), unit: "of \(result.ages.count)",
                limit: .atMost(0)))
        Report.add(
            Figure(
                name: "  publish to receive, 99 of 100 within", value: result.ages.quantile(0.99), unit: "ms",
                limit: .atMost(2), ownSlack: Figure.longRunSlack))
        Report.add(
            Figure(
                name: "  the same in the last tenth of the time, times the first",
                value: result.tailDrift, unit: "times", limit: .atMost(1.5), ownSlack: 3))
        Report.add(
            Figure(name: "  lines of the stream", value: Double(seen.lines), unit: "", limit: .none))
        Report.add(
            Figure(
                name: "  routes followed", value: Double(seen.routesTaken), unit: "of \(seen.routesSent)",
                limit: .atLeast(Double(seen.routesSent))))
        Report.add(
            Figure(name: "  files recorded", value: Double(recordings), unit: "", limit: .atLeast(1)))
        Report.add(
            Figure(name: "  descriptors kept", value: Double(seen.descriptorsKept), unit: "", limit: .atMost(0)))
        Report.add(
            Figure(name: "  memory, most", value: seen.mostKibibytes / 1024, unit: "MiB", limit: .atMost(24)))
        Report.add(
            Figure(
                name: "  memory grown per hour, second half of the time", value: seen.kibibytesPerHour, unit: "KiB",
                limit: .atMost(64)))
        guard result.told == 0, seen.descriptorsKept <= 0, seen.routesTaken == seen.routesSent, recordings > 0 else {
            throw BrokenCount(
                description: "\(result.told) frames lost, \(seen.descriptorsKept) descriptors kept, "
                    + "\(seen.routesTaken) of \(seen.routesSent) routes taken, \(recordings) files recorded")
        }
    }
}
