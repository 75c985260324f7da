/// Days and hours in the form of OpenStreetMap's `opening_hours`: `Mo-Fr 07:00-17:00`, `Nov-Mar 22:00-06:00`,
/// `sunset-sunrise`, `Mo-Fr 07:00-17:00; PH off`.
struct OpeningTimes: Equatable {
    /// A start or an end of a span.
    enum Moment: Equatable {
        /// Minutes from the start of the day.
        case clock(Int)
        /// Minutes after an event of the sun.
        case sun(SunTimes.Event, Int)
    }

    /// A span of a day. It may end on the next day.
    struct Span: Equatable {
        var start: Moment
        var end: Moment
    }

    /// Days of the year, each as 32 times the month plus the day; the end is included. It may pass the end of the year.
    struct Dates: Equatable {
        var first: Int
        var last: Int

        func contains(_ date: Int) -> Bool {
            first <= last ? date >= first && date <= last : date >= first || date <= last
        }
    }

    /// One rule.
    struct Rule: Equatable {
        var dates: [Dates] = []
        /// Bit 0 is Monday.
        var weekdays: UInt8 = 0
        /// Whether public or school holidays are among the days.
        var includesHolidays = false
        /// Whether all the days must be holidays.
        var requiresHoliday = false
        var spans: [Span] = []
        var isOff = false
        /// Whether the rule adds to the rules before it. Otherwise it replaces them on its days.
        var isAdditional = false

        /// Whether the rule is about a day.
        func applies(to day: Int, onHoliday: Bool) -> Bool {
            if !dates.isEmpty {
                let (month, dayOfMonth) = LocalTime.monthAndDay(day)
                guard dates.contains(where: { $0.contains(month * 32 + dayOfMonth) }) else { return false }
            }
            if requiresHoliday, !onHoliday { return false }
            guard weekdays != 0 || includesHolidays else { return true }
            return weekdays >> UInt8(LocalTime.weekday(day)) & 1 == 1 || (includesHolidays && onHoliday)
        }
    }

    /// The rules in their order.
    var rules: [Rule] = []

    /// Whether a rule names dates.
    var hasDates: Bool { rules.contains { !$0.dates.isEmpty } }
    /// Whether a rule names weekdays, holidays or hours.
    var hasHours: Bool {
        rules.contains { $0.weekdays != 0 || $0.includesHolidays || $0.requiresHoliday || !$0.spans.isEmpty }
    }

    /// Whether the times contain the local time of a context; `nil` if the time is unknown, or where the sun does not
    /// rise or set. No calendar of holidays is known here: the caller says what is assumed.
    func contains(_ context: LimitContext, onHoliday: Bool) -> Bool? {
        guard let now = context.localTime else { return nil }
        for daysAgo in 0...1 {
            let day = now.day - daysAgo
            guard let isWithin = contains(now.minute + 1440 * daysAgo, of: day, context, onHoliday: onHoliday) else {
                return nil
            }
            if isWithin { return true }
        }
        return false
    }

    /// Whether the spans of a day contain a minute, counted from the start of that day.
    private func contains(_ minute: Int, of day: Int, _ context: LimitContext, onHoliday: Bool) -> Bool? {
        var (isOpen, isClosed) = (false, false)
        for rule in rules where rule.applies(to: day, onHoliday: onHoliday) {
            let isPartial = rule.isOff && !rule.spans.isEmpty
            if !rule.isAdditional, !isPartial { (isOpen, isClosed) = (false, false) }
            var isWithin = rule.spans.isEmpty && minute < 1440
            for span in rule.spans {
                guard let range = Self.minutes(of: span, day, context) else { return nil }
                if range.contains(minute) { isWithin = true }
            }
            if isPartial {
                isClosed = isClosed || isWithin
            } else if rule.isOff {
                (isOpen, isClosed) = (false, false)
            } else {
                isOpen = isOpen || isWithin
            }
        }
        return isOpen && !isClosed
    }

    private static func minutes(of span: Span, _ day: Int, _ context: LimitContext) -> Range<Int>? {
        guard let start = minute(of: span.start, day, context), let end = minute(of: span.end, day, context) else {
            return nil
        }
        // An end that is not later than the start is on the next day.
        return start..<max(end > start ? end : end + 1440, start)
    }

    private static func minute(of moment: Moment, _ day: Int, _ context: LimitContext) -> Int? {
        switch moment {
        case .clock(let minute): return minute
        case .sun(let event, let later):
            guard let latitude = context.latitudeDegrees, let longitude = context.longitudeDegrees,
                let offset = context.utcOffsetSeconds
            else { return nil }
            return SunTimes.minute(
                of: event, day: day, latitudeDegrees: latitude, longitudeDegrees: longitude, utcOffsetSeconds: offset
            ).map { $0 + later }
        }
    }
}
