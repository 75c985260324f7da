/// Reads ``OpeningTimes``. Years, weeks, numbered weekdays (`Mo[1]`) and comments are not read: such a text has no
/// value, and its limit is not applied.
struct OpeningTimesReader {
    /// Maximum number of rules, and of dates or spans of a rule. No sign has more.
    private static let mostParts = 16

    private let text: [UInt8]
    private var place = 0

    /// The times of a text in lower case; `nil` if it cannot be read.
    static func read(_ text: [UInt8]) -> OpeningTimes? {
        var reader = OpeningTimesReader(text: text)
        return reader.readAll()
    }

    private init(text: [UInt8]) { self.text = text }

    private mutating func readAll() -> OpeningTimes? {
        var times = OpeningTimes()
        var isAdditional = false
        while times.rules.count < Self.mostParts {
            guard var rule = readRule() else { return nil }
            rule.isAdditional = isAdditional
            times.rules.append(rule)
            skipSpaces()
            guard let separator = next else { return times }
            guard separator == UInt8(ascii: ";") || separator == UInt8(ascii: ",") else { return nil }
            isAdditional = separator == UInt8(ascii: ",")
            place += 1
            skipSpaces()
            if next == nil, !isAdditional { return times }
        }
        return nil
    }

    private mutating func readRule() -> OpeningTimes.Rule? {
        var rule = OpeningTimes.Rule()
        skipSpaces()
        let start = place
        if take("24/7") {
            skipSpaces()
        } else {
            guard readDates(&rule), readDays(&rule), readSpans(&rule) else { return nil }
        }
        if takeWord("off") || takeWord("closed") {
            rule.isOff = true
        } else {
            _ = takeWord("open")
        }
        return place > start ? rule : nil
    }

    // MARK: Dates

    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
    private static let monthDays = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

    private mutating func readDates(_ rule: inout OpeningTimes.Rule) -> Bool {
        while let month = takeIndex(of: Self.months) {
            guard rule.dates.count < Self.mostParts, let dates = readDateRange(from: month + 1) else { return false }
            rule.dates.append(dates)
            let end = place
            skipSpaces()
            guard take(",") else { continue }
            skipSpaces()
            if !isAt(Self.months) {
                place = end
                break
            }
        }
        skipSpaces()
        if !rule.dates.isEmpty, take(":") { skipSpaces() }
        return true
    }

    /// The rest of a range of dates, after the name of its first month.
    private mutating func readDateRange(from month: Int) -> OpeningTimes.Dates? {
        guard let firstDay = readDay(of: month) else { return nil }
        let afterFirst = place
        skipSpaces()
        guard take("-") else {
            place = afterFirst
            return .init(first: month * 32 + max(firstDay, 1), last: month * 32 + (firstDay > 0 ? firstDay : 31))
        }
        skipSpaces()
        if let last = takeIndex(of: Self.months) {
            guard let lastDay = readDay(of: last + 1) else { return nil }
            return .init(first: month * 32 + max(firstDay, 1), last: (last + 1) * 32 + (lastDay > 0 ? lastDay : 31))
        }
        guard firstDay > 0, let lastDay = readDay(of: month), lastDay > 0 else { return nil }
        return .init(first: month * 32 + firstDay, last: month * 32 + lastDay)
    }

    /// A day of a month; 0 if none follows; `nil` if the month does not have it.
    private mutating func readDay(of month: Int) -> Int? {
        let before = place
        skipSpaces()
        guard let number = takeNumber(digits: 2), next != UInt8(ascii: ":") else {
            place = before
            return 0
        }
        return number >= 1 && number <= Self.monthDays[month - 1] ? number : nil
    }

    // MARK: Days of the week

    private static let weekdays = ["mo", "tu", "we", "th", "fr", "sa", "su"]
    private static let holidays = ["ph", "sh"]

    private mutating func readDays(_ rule: inout OpeningTimes.Rule) -> Bool {
        guard isAt(Self.weekdays) || isAt(Self.holidays) else { return true }
        guard readDayList(&rule) else { return false }
        skipSpaces()
        if rule.weekdays == 0, isAt(Self.weekdays) {
            // `SH Mo-Fr`: weekdays in the holidays.
            (rule.includesHolidays, rule.requiresHoliday) = (false, true)
            guard readDayList(&rule), !rule.includesHolidays else { return false }
            skipSpaces()
        }
        return true
    }

    private mutating func readDayList(_ rule: inout OpeningTimes.Rule) -> Bool {
        while true {
            if takeIndex(of: Self.holidays) != nil {
                rule.includesHolidays = true
            } else if let first = takeIndex(of: Self.weekdays) {
                var last = first
                if take("-") {
                    guard let end = takeIndex(of: Self.weekdays) else { return false }
                    last = end
                }
                var day = first
                rule.weekdays |= 1 << UInt8(day)
                while day != last {
                    day = (day + 1) % 7
                    rule.weekdays |= 1 << UInt8(day)
                }
            }
            if next == UInt8(ascii: "[") { return false }
            let end = place
            skipSpaces()
            guard take(",") else { return true }
            skipSpaces()
            if !isAt(Self.weekdays), !isAt(Self.holidays) {
                place = end
                return true
            }
        }
    }

    // MARK: Hours

    private static let events = ["dawn", "sunrise", "sunset", "dusk"]

    private mutating func readSpans(_ rule: inout OpeningTimes.Rule) -> Bool {
        guard isAtTime else { return true }
        while true {
            guard rule.spans.count < Self.mostParts, let span = readSpan() else { return false }
            rule.spans.append(span)
            let end = place
            skipSpaces()
            guard take(",") else { return true }
            skipSpaces()
            if !isAtTime {
                place = end
                return true
            }
        }
    }

    private var isAtTime: Bool {
        guard let next else { return false }
        return (next >= 0x30 && next <= 0x39) || next == UInt8(ascii: "(") || isAt(Self.events)
    }

    private mutating func readSpan() -> OpeningTimes.Span? {
        guard let start = readMoment(latest: 1440) else { return nil }
        if take("+") { return .init(start: start, end: .clock(1440)) }
        skipSpaces()
        guard take("-") else { return nil }
        skipSpaces()
        return readMoment(latest: 2880).map { .init(start: start, end: $0) }
    }

    private mutating func readMoment(latest: Int) -> OpeningTimes.Moment? {
        if let event = takeEvent() { return .sun(event, 0) }
        guard take("(") else { return readClock(latest: latest).map { .clock($0) } }
        guard let event = takeEvent() else { return nil }
        let isLater = take("+")
        guard isLater || take("-"), let minutes = readClock(latest: 720), take(")") else { return nil }
        return .sun(event, isLater ? minutes : -minutes)
    }

    private mutating func takeEvent() -> SunTimes.Event? {
        takeIndex(of: Self.events).flatMap { SunTimes.Event(rawValue: UInt8($0)) }
    }

    private mutating func readClock(latest: Int) -> Int? {
        guard let hours = takeNumber(digits: 2), take(":") else { return nil }
        let start = place
        guard let minutes = takeNumber(digits: 2), place == start + 2, minutes < 60 else { return nil }
        let minute = hours * 60 + minutes
        return minute <= latest ? minute : nil
    }

    // MARK: Characters

    private var next: UInt8? { place < text.count ? text[place] : nil }

    private mutating func skipSpaces() {
        while next == UInt8(ascii: " ") || next == UInt8(ascii: "\t") { place += 1 }
    }

    private func isAt(_ word: String) -> Bool {
        let end = place + word.utf8.count
        return end <= text.count && text[place..<end].elementsEqual(word.utf8)
    }

    /// Whether one of the words is here, and no letter after it.
    private func isAt(_ words: [String]) -> Bool {
        words.contains { isAt($0) && !isLetter(at: place + $0.utf8.count) }
    }

    private func isLetter(at index: Int) -> Bool { index < text.count && text[index] >= 0x61 && text[index] <= 0x7A }

    private mutating func take(_ characters: String) -> Bool {
        guard isAt(characters) else { return false }
        place += characters.utf8.count
        return true
    }

    /// Takes a word that is followed by no letter, and the spaces after it.
    private mutating func takeWord(_ word: String) -> Bool {
        skipSpaces()
        guard isAt(word), !isLetter(at: place + word.utf8.count) else { return false }
        place += word.utf8.count
        skipSpaces()
        return true
    }

    private mutating func takeIndex(of words: [String]) -> Int? {
        guard let index = words.firstIndex(where: { isAt($0) && !isLetter(at: place + $0.utf8.count) }) else {
            return nil
        }
        place += words[index].utf8.count
        return index
    }

    /// Takes a number of at most so many digits; `nil` and nothing taken if there is none or it is longer.
    private mutating func takeNumber(digits: Int) -> Int? {
        var (end, value) = (place, 0)
        while end < text.count, text[end] >= 0x30, text[end] <= 0x39 {
            guard end - place < digits else { return nil }
            value = value * 10 + Int(text[end] - 0x30)
            end += 1
        }
        guard end > place else { return nil }
        place = end
        return value
    }
}
