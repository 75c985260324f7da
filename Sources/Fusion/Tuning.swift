/// Constants of the estimator that several files share.
enum Tuning {
    /// 1-sigma of a receiver's velocity where it states none, m/s. Source: own. The values differ by use; one value
    /// for all of them would change results.
    enum UnstatedVelocitySigma {
        /// As noise of a horizontal velocity, and for what it says of rest and motion.
        static let horizontal = 0.3
        /// As noise of a climb.
        static let climb = 0.5
        /// In the search for the initial heading and where it begins: a larger one asks for more speed before that.
        static let alignment = 0.2
        /// As published without a filter: cautious, because nothing checks it.
        static let published = 0.5
    }
}
