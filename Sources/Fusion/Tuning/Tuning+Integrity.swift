/// Constants of the fault detection of receiver and IMU.
extension Tuning {
    /// The filter's predictions of the fixes against those of the receiver itself (eq. 12.16).
    enum PredictionContest {
        /// Time constant of the mean squares, seconds.
        /// Source: own: some fixes of a 1 Hz receiver. Covered by: PredictionContestTests.
        static let meanSeconds = 5.0
        /// Largest weight of one fix of a slow receiver, 1.
        /// Source: own. Covered by: PredictionContestTests.
        static let largestWeight = 0.5
        /// Time for which they must have been compared, seconds.
        /// Source: own: a filter that has just started settles. Covered by: PredictionContestTests.
        static let leastSeconds = 4.0
        /// Mean square of the filter's error over that of the receiver's that the filter may have, 1.
        /// Source: own: an error of either that lasts for one fix shows in both. Covered by: PredictionContestTests.
        static let ratio = 2.0
        /// Error of the filter that is always allowed beside the stated sigma, metres.
        /// Source: own: what a display shows as a jump. Covered by: PredictionContestTests.
        static let allowedMeters = 0.5
    }

    /// Check of the lag of the receiver's velocity in the running filter (eq. 12.17).
    enum ReceiverLag {
        /// Time over which velocities are compared, seconds.
        /// Source: own: some curves and stops of a drive. Covered by: ReceiverLagMonitorTests.
        static let memorySeconds = 100.0
        /// Largest interval of two velocities, or of two positions, that are compared, seconds.
        /// Source: own: what a receiver at 1 Hz has around a fix that is missing. Covered by: ReceiverLagMonitorTests.
        static let longestPairSeconds = 3.0
        /// Changes of the velocity that must have been compared, 1.
        /// Source: as the search before the start needs. Covered by: ReceiverLagMonitorTests.
        static let leastPairs = 8.0
        /// Difference of the lags from which one of them is wrong, seconds.
        /// Source: one and a half steps of the bank. Covered by: ReceiverLagMonitorTests.
        static let leastDifference = 0.15
        /// Decrease of the squared residuals over their variance that proves it, 1.
        /// Source: chi-square with one degree of freedom: once in 2e7. Covered by: ReceiverLagMonitorTests.
        static let significance = 30.0
        /// 1-sigma of the heading after a wrong lag, radians.
        /// Source: that below which a heading counts as found. Covered by: ReceiverLagMonitorTests.
        static let openedHeading = 0.1
    }

    /// The velocity that a receiver states against its positions (eq. 12.19).
    enum VelocityProof {
        /// Shortest window, seconds.
        /// Source: own (eq. 12.19). Covered by: VelocityProofTests.
        static let shortestSeconds = 4.0
        /// Longest window, seconds.
        /// Source: own (eq. 12.19): the GNSS bias changes within it. Covered by: VelocityProofTests.
        static let longestSeconds = 20.0
        /// Difference of the ways in sigmas of a position.
        /// Source: own (eq. 12.19). Covered by: VelocityProofTests.
        static let sigmas = 2.5
        /// Largest lag of a velocity, seconds.
        /// Source: as those that are looked for. Covered by: VelocityProofTests.
        static let largestLagSeconds = Double(Alignment.lagCount - 1) * Alignment.lagStepSeconds
        /// Share of the way that may be missing, 1.
        /// Source: own (eq. 12.19): a Doppler shift has no scale. Covered by: VelocityProofTests.
        static let share = 0.02
        /// Share of the way by the positions below which the velocity states none, 1.
        /// Source: own (eq. 12.19). Covered by: VelocityProofTests.
        static let heldShare = 0.1
        /// Share of the squared length of a straight way that unstated ones must have, 1.
        /// Source: own (eq. 12.19): by chance, of four windows, once in forty. Covered by: VelocityProofTests.
        static let straightShare = 0.7
        /// Factor that is excluded where a velocity is trusted again, 1.
        /// Source: own (eq. 12.19). Covered by: VelocityProofTests.
        static let leastFactor = 0.08
        /// Windows that must differ by more than is allowed, or more of them that differ by less.
        /// Source: own (eq. 12.19). Covered by: VelocityProofTests.
        static let windows = 4
        /// Share of the squared differences that one factor and angle must explain, 1.
        /// Source: own (eq. 12.19): by chance, of four windows, once in a thousand. Covered by: VelocityProofTests.
        static let explainedShare = 0.9
    }

    /// Receiver: stuck, drifting, contradicted (eq. 12.3, eq. 12.4, eq. 12.11).
    enum GNSSIntegrity {
        /// Least drift of the positions against the receiver's velocity that is a fault, metres.
        /// Source: own (eq. 12.3). Covered by: GNSSIntegrityMonitorTests.
        static let leastDrift = 12.0
        /// The same in scaled sigmas.
        /// Source: own (eq. 12.3). Covered by: GNSSIntegrityMonitorTests.
        static let driftSigmas = 6.0
        /// First window of the drift test, moves of a second or of a slower fix.
        /// Source: own (eq. 12.3). Covered by: GNSSIntegrityMonitorTests.
        static let shortWindow = 6
        /// Mean drift over its standard error that is a fault in it, 1. A jump has 1, a random error seldom 3; the
        /// shorter the window, the more by chance.
        /// Source: own (eq. 12.3). Covered by: GNSSIntegrityMonitorTests.
        static let shortSteadiness = 7.0
        /// Second window, in the same.
        /// Source: own (eq. 12.3). Covered by: GNSSIntegrityMonitorTests.
        static let mediumWindow = 12
        /// Steadiness that is a fault in it, 1.
        /// Source: own (eq. 12.3). Covered by: GNSSIntegrityMonitorTests.
        static let mediumSteadiness = 6.0
        /// Third window, in the same.
        /// Source: own (eq. 12.3). Covered by: GNSSIntegrityMonitorTests.
        static let longWindow = 24
        /// Steadiness that is a fault in it, 1.
        /// Source: own (eq. 12.3). Covered by: GNSSIntegrityMonitorTests.
        static let longSteadiness = 5.0
        /// Steadiness with which a detected drift goes on, 1.
        /// Source: own (eq. 12.3). Covered by: GNSSIntegrityMonitorTests.
        static let lastingSteadiness = 4.0
        /// Part of the limit with which a detected drift goes on, 1.
        /// Source: own (eq. 12.3). Covered by: GNSSIntegrityMonitorTests.
        static let lastingShare = 0.3
        /// Time without drift after which positions are used again, seconds.
        /// Source: own (eq. 12.3). Covered by: GNSSIntegrityMonitorTests.
        static let driftOverSeconds = 6.0
        /// Largest interval of two fixes that are compared, seconds.
        /// Source: own. Covered by: GNSSIntegrityMonitorTests.
        static let longestGap = 2.5
        /// Time constant with which the limit follows a rise of the noise factor, seconds: a drift must not widen its
        /// own limit.
        /// Source: own (eq. 12.3). Covered by: GNSSIntegrityMonitorTests.
        static let factorSeconds = 30.0
        /// Least interval of two entries of the window, seconds: a 1 Hz receiver with jitter.
        /// Source: own. Covered by: GNSSIntegrityMonitorTests.
        static let entrySeconds = 0.99
        /// Longest veto of a consistent receiver, seconds; also how long it must have been consistent.
        /// Source: own (eq. 12.11): a lost heading had vetoed a healthy receiver for 33 s and 218 m. Covered by:
        /// GNSSIntegrityMonitorTests.
        static let vetoSeconds = 4.0
        /// The same where its positions cannot be compared with its velocity, seconds: with one fix in 5 s at least the
        /// veto is then over after 10 s. Half of it counts for an interval of the fixes at most; for as long a velocity
        /// that has agreed speaks for the filter.
        /// Source: own (eq. 12.11). Covered by: GNSSIntegrityMonitorTests, ReceiverFaultLimitTests.
        static let uncomparedVetoSeconds = 6.0
        /// Fixes whose speed must differ for a veto.
        /// Source: own (eq. 12.4). Covered by: GNSSIntegrityMonitorTests.
        static let contradictions = 3
        /// Least duration of that, seconds.
        /// Source: own (eq. 12.4). Covered by: GNSSIntegrityMonitorTests.
        static let contradictionSeconds = 2.0
        /// Fixes whose velocity must agree for the veto to end.
        /// Source: own (eq. 12.4). Covered by: GNSSIntegrityMonitorTests.
        static let agreements = 5
        /// Least duration of that, seconds.
        /// Source: own (eq. 12.4). Covered by: GNSSIntegrityMonitorTests.
        static let agreementSeconds = 4.0
        /// Sum of speed changes on which filter and receiver must have agreed before either is blamed, m/s: a straight
        /// at constant speed does not show wrong axes.
        /// Source: own (eq. 12.4). Covered by: GNSSIntegrityMonitorTests.
        static let provingSpeedChange = 5.0
        /// Gate of the difference of speeds, sigmas.
        /// Source: as the receiver's velocity (eq. 12.4). Covered by: GNSSIntegrityMonitorTests.
        static let speedGate = 5.0
        /// Least difference of speeds that contradicts, m/s.
        /// Source: own (eq. 12.4). Covered by: GNSSIntegrityMonitorTests.
        static let leastSpeedDifference = 0.5
        /// Difference allowed for each m/s2 of acceleration, seconds.
        /// Source: own (eq. 12.4). Covered by: GNSSIntegrityMonitorTests.
        static let unmodeledLag = 0.3
        /// Least difference of velocities that contradicts, m/s.
        /// Source: own (eq. 12.4). Covered by: GNSSIntegrityMonitorTests.
        static let leastVelocityDifference = 2.0
        /// Turn since the fix before up to which that holds, radians: neither a wrong heading nor a broken gyro makes
        /// such a difference at once.
        /// Source: own (eq. 12.4). Covered by: GNSSIntegrityMonitorTests.
        static let leastTurn = 0.15
        /// Wheel speeds accepted that prove the filter's speed.
        /// Source: own (eq. 12.4). Covered by: GNSSIntegrityMonitorTests, WheelSpeedTests.
        static let provingWheelSpeeds = 200
        /// Age of the filter from which it checks the receiver's speed, seconds.
        /// Source: own (eq. 12.4). Covered by: GNSSIntegrityMonitorTests.
        static let judgingAfterSeconds = 30.0
    }

    /// IMU against the receiver, against itself and against rolling wheels (eq. 12.6 to eq. 12.8, eq. 12.10).
    enum IMUFault {
        /// Weight of the newest velocity in the mean of the normalised innovations, 1/s.
        /// Source: own (eq. 12.6). Covered by: IMUFaultMonitorTests.
        static let newestWeight = 0.4
        /// Mean of the normalised innovations that is a fault, 1.
        /// Source: own (eq. 12.6). Covered by: IMUFaultMonitorTests.
        static let largestMean = 2.2
        /// Fixes that must have led there: a single one is the receiver's fault.
        /// Source: own (eq. 12.6). Covered by: IMUFaultMonitorTests.
        static let fewestFixes = 3
        /// Normalised innovation from which a fix deviates, 1.
        /// Source: own (eq. 12.6). Covered by: IMUFaultMonitorTests.
        static let deviatingSize = 1.5
        /// Deviating fixes from which the innovations are growing.
        /// Source: own (eq. 12.6). Covered by: IMUFaultMonitorTests.
        static let growingFixes = 2
        /// Part of the squared largest mean from which the innovations are growing, 1.
        /// Source: own (eq. 12.6). Covered by: IMUFaultMonitorTests.
        static let growingShare = 0.25
        /// Largest normalised innovation in the mean, 1.
        /// Source: own (eq. 12.6). Covered by: IMUFaultMonitorTests.
        static let largestSize = 6.0
        /// Least time that one fix stands for in the mean, seconds.
        /// Source: own (eq. 12.6). Covered by: IMUFaultLimitTests.
        static let leastSeconds = 0.5
        /// Interval of fixes of which each still counts in full, seconds: a receiver's error lasts for longer.
        /// Source: own (eq. 12.6). Covered by: IMUFaultMonitorTests, IMUFaultLimitTests.
        static let fastestSeconds = 0.2
        /// Difference of lateral acceleration and turn that is allowed, m/s2.
        /// Source: own (eq. 12.7). Covered by: IMUFaultMonitorTests.
        static let leastLateral = 1.0
        /// The same as a part of the acceleration, 1.
        /// Source: own (eq. 12.7). Covered by: IMUFaultMonitorTests.
        static let lateralShare = 0.3
        /// Time constant of the mean difference, seconds: a bump throws the body to both sides in turn.
        /// Source: own (eq. 12.7). Covered by: IMUFaultMonitorTests.
        static let lateralSeconds = 0.5
        /// Time for which it must exceed that, seconds.
        /// Source: own (eq. 12.7). Covered by: IMUFaultMonitorTests.
        static let lateralLastsSeconds = 0.35
        /// Largest lateral slip in the mean, sigmas.
        /// Source: own (eq. 12.10). Covered by: IMUFaultMonitorTests.
        static let largestSlipSigmas = 3.0
        /// Time constant of the mean slip, seconds.
        /// Source: own (eq. 12.10). Covered by: IMUFaultMonitorTests.
        static let slipSeconds = 1.0
        /// 1-sigma of the slip of the wheels in that mean, m/s, before sideslip.
        /// Source: own (eq. 12.10): twice the 0.02 m/s that the recorded drive has; with 0.044 a bias of the gyro was
        /// flagged at 9 deg of heading instead of 3. Covered by: InertialFaultTests.
        static let slipSigma = 0.04
        /// Mean slip that is a fault, sigmas.
        /// Source: own (eq. 12.10): drives on real roads stay below 0.9. Covered by: IMUFaultMonitorTests.
        static let largestMeanSlip = 1.6
        /// Largest interval of two slips of one mean, seconds.
        /// Source: own. Covered by: IMUFaultMonitorTests.
        static let longestSlipGap = 0.5
        /// Rejected zero rotations in a row, five a second, that are a fault.
        /// Source: own (eq. 12.6). Covered by: IMUFaultMonitorTests.
        static let largestRestTurns = 5
        /// Time for which a fault of the IMU stays active, seconds.
        /// Source: own. Covered by: IMUFaultMonitorTests.
        static let doubtSeconds = 20.0
        /// Change of the normalised innovation from one fix to the next that is the receiver's, 1, after a small mean.
        /// Source: own (eq. 12.6). Covered by: IMUFaultMonitorTests.
        static let suddenCalm = 4.0
        /// The same after a larger mean, 1.
        /// Source: own (eq. 12.6). Covered by: IMUFaultMonitorTests.
        static let suddenGrown = 8.0
        /// Least normalised innovation after it, 1.
        /// Source: own (eq. 12.6). Covered by: IMUFaultMonitorTests.
        static let suddenSize = 3.0
        /// Mean below which it is small, 1.
        /// Source: own (eq. 12.6). Covered by: IMUFaultMonitorTests.
        static let calmMean = 1.2
        /// Longest time for which it is the receiver's, seconds.
        /// Source: own (eq. 12.6). Covered by: IMUFaultMonitorTests.
        static let suddenSeconds = 3.0
        /// Gap between fixes after which the test pauses, seconds.
        /// Source: own. Covered by: IMUFaultMonitorTests.
        static let longestGap = 2.5
        /// Length of that pause, seconds: the first fixes correct what an outage has let drift.
        /// Source: own. Covered by: IMUFaultMonitorTests.
        static let settlingSeconds = 10.0
        /// 1-sigma added to the gyro bias after a fault, rad/s.
        /// Source: own (eq. 12.8). Covered by: IMUFaultMonitorTests.
        static let openedGyroBias = 0.03
        /// 1-sigma added to the gyro's turn coupling, 1.
        /// Source: own (eq. 12.8). Covered by: IMUFaultMonitorTests.
        static let openedScale = 0.5
        /// 1-sigma added to roll and pitch, radians.
        /// Source: own (eq. 12.8). Covered by: IMUFaultMonitorTests.
        static let openedTilt = 0.06
        /// 1-sigma added to the heading, radians.
        /// Source: own (eq. 12.8). Covered by: IMUFaultMonitorTests.
        static let openedHeading = 0.15
        /// Gyro noise after a fault, rad/s/sqrt(Hz); it decays as ``Start/linearizationNoiseSeconds``.
        /// Source: own (eq. 12.8). Covered by: IMUFaultMonitorTests.
        static let openedDensity = 0.05
    }
}
