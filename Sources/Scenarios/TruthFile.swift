import Conversion
import Geodesy
import PoseMath
import Replay
import Simulation

/// Writes the truth of a simulated drive beside its recording, ten rows per second, as `posectl report` reads it.
enum TruthFile {
    private static let rateHertz = 10.0

    /// Writes the file.
    static func write(_ simulated: SimulatedDrive, to path: String) throws(LineOutputError) {
        var output = try LineOutput(path: path)
        try output.append(
            "t_s,lat_deg,lon_deg,alt_hae_m,vel_n_m_s,vel_e_m_s,vel_d_m_s,roll_deg,pitch_deg,heading_deg\n")
        let count = Int(min(simulated.drive.durationSeconds * rateHertz, 1e7))
        for index in 0...count {
            let seconds = Double(index) / rateHertz
            let truth = simulated.drive.truth(atSeconds: seconds)
            let velocity = truth.velocityENUMetersPerSecond
            let angles = EulerAngles(bodyToENU: truth.bodyToENU)
            let numbers: [(Double, Int)] = [
                (seconds, 3), (truth.position.latitudeDegrees, 9), (truth.position.longitudeDegrees, 9),
                (truth.position.altitudeEllipsoidMeters, 3), (velocity.y, 4), (velocity.x, 4), (-velocity.z, 4),
                (angles.rollRadians.radiansInDegrees, 4), (angles.pitchRadians.radiansInDegrees, 4),
                (angles.headingTrueRadians.radiansInDegrees, 4),
            ]
            try output.append(numbers.map { Decimal.text($0.0, decimals: $0.1) }.joined(separator: ",") + "\n")
        }
        try output.finish()
    }
}
