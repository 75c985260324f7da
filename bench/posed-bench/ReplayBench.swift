import Glibc
import Measurements
import PoseMath
import Simulation

/// A recording through `posectl replay`, one line per IMU sample, compared with the recorded duration.
struct ReplayBench {
    /// Path of posectl.
    var program: String

    /// Measures and reports.
    func run() throws {
        let folder = try TemporaryFolder()
        let seconds = try Self.record(edges: 30, into: folder)
        var times: [Double] = []
        var processorTimes: [Double] = []
        for _ in 0..<3 {
            let start = monotonicNanoseconds()
            var child = try ChildProcess(program, ["replay", folder.path, "--frames", "\(folder.path)/frames.ndjson"])
            let code = child.wait()
            guard code == 0 else { throw BenchError("posectl replay ended with \(code)") }
            times.append(Double(monotonicNanoseconds() - start) / 1e9)
            processorTimes.append(child.processorSeconds)
        }
        Report.add(
            Figure(
                name: "replay of \(Text.number(seconds)) s, 100 Hz IMU, one line per sample",
                value: seconds / Distribution(times).median,
                unit: "x real time", limit: .atLeast(200)))
        Report.add(
            Figure(
                name: "  the same by its processor time", value: seconds / Distribution(processorTimes).median,
                unit: "x real time", limit: .none))
        try measureReport()
    }

    /// The page about a drive of about an hour, in the time and size of exactly an hour.
    private func measureReport() throws {
        let folder = try TemporaryFolder()
        let hours = try Self.record(edges: 170, into: folder) / 3600
        let page = "\(folder.path)/page.html"
        var times: [Double] = []
        for _ in 0..<3 {
            let start = monotonicNanoseconds()
            var child = try ChildProcess(program, ["report", folder.path, "--quiet", "-o", page])
            let code = child.wait()
            guard code == 0 else { throw BenchError("posectl report ended with \(code)") }
            times.append(Double(monotonicNanoseconds() - start) / 1e9)
        }
        var status = stat()
        guard stat(page, &status) == 0 else { throw BenchError("posectl report wrote no page") }
        Report.add(
            Figure(
                name: "report of a drive, per hour, 100 Hz IMU", value: Distribution(times).median / hours, unit: "s",
                limit: .atMost(5)))
        Report.add(
            Figure(
                name: "  size of its page, per hour", value: Double(status.st_size) / 1e6 / hours, unit: "MB",
                limit: .atMost(5)))
    }

    /// Writes a simulated drive as a recording. Returns its duration.
    static func record(edges: Int, into folder: borrowing TemporaryFolder) throws -> Double {
        let drive = try Drive(.random(seed: 11, edges: edges))
        var imu = "t_s,gyro_x_rad_s,gyro_y_rad_s,gyro_z_rad_s,accel_x_m_s2,accel_y_m_s2,accel_z_m_s2\n"
        var gnss = "t_s,arrival_s,lat_deg,lon_deg,alt_hae_m,vel_n_m_s,vel_e_m_s,vel_d_m_s,eph_m,epv_m,sacc_m_s,mode\n"
        for event in SimulatedDrive(drive: drive, seed: 11) {
            switch event {
            case .inertial(let sample):
                let (rate, force) = (sample.angularRateRadiansPerSecond, sample.specificForceMetersPerSecondSquared)
                imu += "\(sample.time.seconds),\(rate.x),\(rate.y),\(rate.z),\(force.x),\(force.y),\(force.z)\n"
            case .gnss(let fix): gnss += row(fix)
            default: break
            }
        }
        try folder.write(imu, to: "imu.csv")
        try folder.write(gnss, to: "gnss.csv")
        return drive.durationSeconds
    }

    private static func row(_ fix: GnssFix) -> String {
        func text(_ value: Double?, times factor: Double = 1) -> String { value.map { String($0 * factor) } ?? "" }
        let velocity = fix.horizontalVelocity
        let columns = [
            text(fix.validityTime.seconds), text(fix.arrivalTime.seconds), text(fix.latitudeRadians, times: 180 / .pi),
            text(fix.longitudeRadians, times: 180 / .pi), text(fix.altitudeEllipsoidMeters),
            text(velocity?.northMetersPerSecond),
            text(velocity?.eastMetersPerSecond), text(fix.climbMetersPerSecond, times: -1),
            text(fix.horizontalSigmaMeters, times: Double(2).squareRoot()), text(fix.verticalSigmaMeters),
            text(fix.speedSigmaMetersPerSecond, times: Double(3).squareRoot()), String(fix.mode.rawValue),
        ]
        return columns.joined(separator: ",") + "\n"
    }
}
