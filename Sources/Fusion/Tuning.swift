/// Constants of the estimator that several files share.
enum Tuning {
    /// 1-sigma of a receiver's velocity where it states none, m/s. Source: chosen for receivers of phones and cars, which
    /// state 0.1 to 0.5. The values differ by use. Tests: SnapshotTests pin every use.
    enum UnstatedVelocitySigma {
        /// As noise of a horizontal velocity, and for what it says of rest and motion.
        static let horizontal = 0.3
        /// As noise of a climb.
        static let climb = 0.5
        /// In the search for the initial heading, which weighs velocities against each other: 0.3 would need a third more
        /// speed to begin.
        static let alignment = 0.2
        /// As published without a filter: cautious, because nothing checks it.
        static let published = 0.5
    }
}
