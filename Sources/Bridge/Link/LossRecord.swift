/// What the losses of the connection say: how long to wait before the next attempt, and whether one connection after
/// the other is lost shortly after it was made. Pure.
struct LossRecord {
    /// Waits between two attempts to connect, seconds: doubled from the first to the last.
    static let waits = 1.0...60.0
    /// A connection that is lost within this time was a short one, seconds.
    static let shortLife = 15.0
    /// Short connections in succession after which the wait grows, and a hint is given.
    static let shortLifeLimit = 4

    /// Longest wait before the next attempt, seconds.
    private(set) var waitSeconds = waits.lowerBound
    private var shortLives = 0

    /// Whether the last loss was the one after which a hint is given.
    var isHintDue: Bool { shortLives == Self.shortLifeLimit }

    /// Whether a connection was useful: the broker took the birth message, and refused nothing that is needed, or not
    /// for long. A broker that tells why it ends a connection, for example because it shuts down, counts as one that
    /// refuses: what it did after hours says nothing of the next attempt.
    ///
    /// - Parameters:
    ///   - isBorn: whether the broker took the birth message.
    ///   - isRefused: whether the connection ended because the broker refused something, or told why it ends it.
    ///   - seconds: from the beginning of the attempt to the end.
    static func wasUseful(isBorn: Bool, isRefused: Bool, lifeOf seconds: Double) -> Bool {
        isBorn && (!isRefused || seconds >= shortLife)
    }

    /// Notes the end of a connection, or of an attempt.
    ///
    /// - Parameters:
    ///   - seconds: from the beginning of the attempt to the end.
    ///   - wasUseful: see ``wasUseful(isBorn:isRefused:lifeOf:)``.
    mutating func note(lifeOf seconds: Double, wasUseful: Bool) {
        shortLives = wasUseful && seconds < Self.shortLife ? shortLives + 1 : 0
        let isSteady = wasUseful && shortLives < Self.shortLifeLimit
        waitSeconds = isSteady ? Self.waits.lowerBound : min(waitSeconds * 2, Self.waits.upperBound)
    }

    /// What may be wrong if one connection after the other is lost shortly after it was made. A broker may end the
    /// connection of a client whose id another one uses, and not say why.
    ///
    /// - Parameter id: of this board.
    static func hint(_ id: String) -> String {
        "\(shortLifeLimit) connections were lost within \(Int(shortLife)) s each: another board may have the id \(id), "
            + "for example after its disk was copied; compare `posed-bridge --print-id`"
    }
}
