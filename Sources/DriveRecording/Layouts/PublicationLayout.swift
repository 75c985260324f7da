import PoseMath

/// One frame as the socket thread published it.
package struct Publication: Hashable, Sendable {
    /// Number of the frame, repetitions included, from 1.
    package var number: UInt64
    /// The number that the line of the frame has in a file.
    package var sequence: UInt32 { Sequence.of(number) }
    /// Time of publishing.
    package var time: MonotonicTime
    /// Whether no newer frame was waiting, so that the frame was predicted to the time of publishing.
    package var isNewest: Bool
    /// Whether the same pose was published before.
    package var isRepeat: Bool

    /// Creates a publication.
    package init(number: UInt64, time: MonotonicTime, isNewest: Bool, isRepeat: Bool) {
        self.number = number
        self.time = time
        self.isNewest = isNewest
        self.isRepeat = isRepeat
    }
}

/// The publications of about one second as they are recorded: the first, and the steps between them.
struct PublicationsMessage: Sendable {
    var firstNumber: UInt64 = 0
    var firstTime = MonotonicTime(nanoseconds: 0)
    /// For each publication: step of the number times 4, plus 2 if it was the newest, plus 1 if it was a repetition.
    var steps: [UInt64] = []
    /// For each publication: nanoseconds since the one before, zigzag-encoded.
    var timeSteps: [UInt64] = []

    init() {}

    init(_ publications: [Publication]) {
        guard let first = publications.first else { return }
        (firstNumber, firstTime) = (first.number, first.time)
        var last = first
        for publication in publications {
            let flags: UInt64 = (publication.isNewest ? 2 : 0) | (publication.isRepeat ? 1 : 0)
            steps.append((publication.number &- last.number) << 2 | flags)
            timeSteps.append(ZigZag.encode(publication.time.nanoseconds &- last.time.nanoseconds))
            last = publication
        }
    }

    /// The publications; throws if numbers go back or the lists differ in length.
    func publications() throws(LayoutFault) -> [Publication] {
        guard steps.count == timeSteps.count else {
            throw LayoutFault(problem: "steps and time_steps differ in length")
        }
        var publications: [Publication] = []
        var (number, time) = (firstNumber, firstTime.nanoseconds)
        for (step, timeStep) in zip(steps, timeSteps) {
            let sum = number.addingReportingOverflow(step >> 2)
            let moved = time.addingReportingOverflow(ZigZag.decode(timeStep))
            guard !sum.overflow, !moved.overflow, moved.partialValue.magnitude < 1 << 62 else {
                throw LayoutFault(problem: "a step is out of range")
            }
            (number, time) = (sum.partialValue, moved.partialValue)
            publications.append(
                Publication(
                    number: number, time: MonotonicTime(nanoseconds: time), isNewest: step & 2 != 0,
                    isRepeat: step & 1 != 0))
        }
        return publications
    }

    static let layout = MessageLayout<PublicationsMessage>(
        "Published",
        [
            .count(1, "first_number", \.firstNumber), .time(2, "first_time_ns", \.firstTime),
            .counts(3, "steps", \.steps), .counts(4, "time_steps", \.timeSteps),
        ])
}
