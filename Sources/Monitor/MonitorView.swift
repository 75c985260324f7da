/// What of the monitor's state is shown: the page, the units, the help. Keys change it.
struct MonitorView: Sendable, Equatable {
    /// The pages in the order of their keys, 1 to 5.
    enum Page: Int, CaseIterable, Sendable {
        case overview = 0
        case sources
        case filter
        case guidance
        case clients

        /// Its name in the header.
        var title: String { "\(self)" }
    }

    /// The page.
    var page = Page.overview
    /// Whether speeds are in miles per hour.
    var isImperial = false
    /// Whether the keys are listed.
    var isHelpShown = false
    /// First line of the page that is shown.
    var scroll = 0

    /// What a key asks of the program.
    enum Request: Sendable {
        case none
        case quit
        case redraw
    }

    /// The keys with what they do.
    static let keys: [(key: String, text: String)] = [
        ("1", "overview"), ("2", "sources: age, rate, innovations, rejections"), ("3", "filter: sigmas, aids, mount"),
        ("4", "guidance: route, limits, roads"), ("5", "clients: sockets, engine, recorder"),
        ("Tab", "next page"), ("j k", "scroll down and up, also the arrows"), ("u", "km/h or mph"),
        ("q", "quit; ? closes this list"),
    ]

    /// Processes pressed keys as a terminal sends them.
    mutating func press(_ keys: [UInt8]) -> Request {
        var request = Request.none
        var rest = keys[...]
        while let key = rest.popFirst() {
            if key == 27, rest.first == UInt8(ascii: "[") {
                rest = rest.dropFirst()
                takeSequence(&rest)
                continue
            }
            switch key {
            // 3 and 4 are Ctrl-C and Ctrl-D, 12 is Ctrl-L.
            case UInt8(ascii: "q"), UInt8(ascii: "Q"), 3, 4: return .quit
            case 12: request = .redraw
            default: press(key)
            }
        }
        return request
    }

    /// Takes the rest of what a terminal sends for one key: parameters, as of an arrow with Ctrl, and the final byte.
    private mutating func takeSequence(_ rest: inout ArraySlice<UInt8>) {
        let parameters = rest.prefix { (0x20...0x3F).contains($0) }
        rest = rest.dropFirst(parameters.count)
        guard let last = rest.first, (0x40...0x7E).contains(last) else { return }
        rest = rest.dropFirst()
        if parameters.isEmpty { move(last) }
    }

    private mutating func press(_ key: UInt8) {
        switch key {
        case UInt8(ascii: "?"), UInt8(ascii: "h"): isHelpShown.toggle()
        case 27: isHelpShown = false
        case UInt8(ascii: "u"): isImperial.toggle()
        case 9: turn(to: (page.rawValue + 1) % Page.allCases.count)
        case UInt8(ascii: "j"): scroll += 1
        case UInt8(ascii: "k"): scroll = max(scroll - 1, 0)
        case UInt8(ascii: "1")...UInt8(ascii: "5"): turn(to: Int(key - UInt8(ascii: "1")))
        default: break
        }
    }

    /// Up and down scroll, right and left turn pages.
    private mutating func move(_ arrow: UInt8) {
        let count = Page.allCases.count
        switch arrow {
        case UInt8(ascii: "A"): scroll = max(scroll - 1, 0)
        case UInt8(ascii: "B"): scroll += 1
        case UInt8(ascii: "C"): turn(to: (page.rawValue + 1) % count)
        case UInt8(ascii: "D"): turn(to: (page.rawValue + count - 1) % count)
        default: break
        }
    }

    /// Takes back what was scrolled beyond the end of the page: else as many keys would do nothing on the way back.
    mutating func limitScroll(to last: Int?) { if let last { scroll = min(scroll, last) } }

    private mutating func turn(to number: Int) {
        page = Page(rawValue: number) ?? .overview
        (scroll, isHelpShown) = (0, false)
    }

    /// A speed in the unit of the view, with the unit.
    func speed(_ metersPerSecond: Double?, _ decimals: Int, width: Int = 0) -> String {
        let factor = isImperial ? 3600 / 1609.344 : 3.6
        return Reading.number(metersPerSecond.map { $0 * factor }, decimals, width: width) + " " + unit
    }

    /// The unit of speeds.
    var unit: String { isImperial ? "mph" : "km/h" }
}
