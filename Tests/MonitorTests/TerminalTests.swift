import Glibc
import Testing

@testable import Monitor

/// What the environment tells of the terminal, in processes of their own, because others read it beside this one.
@Suite struct TerminalTests {
    @Test func coloursAreShownUnlessTheUserWantsNone() async {
        // GIVEN a process without NO_COLOR, with an empty one, and with ones that say something THEN only the last ones
        // mean no colours
        await #expect(processExitsWith: .success) {
            func wantsColour(_ value: String?) -> Bool {
                if let value { setenv("NO_COLOR", value, 1) } else { unsetenv("NO_COLOR") }
                return Terminal.wantsColour
            }
            #expect([nil, "", "1", "0"].map { wantsColour($0) } == [true, true, false, false])
        }
    }

    @Test func aTerminalIsDrawnInItsSizeUpToALimit() {
        // GIVEN the columns and rows of a terminal, which are zero where it does not know them THEN the screen has
        // them, 80 by 24 in that case, and 500 by 200 at most
        let reported: [(UInt16, UInt16)] = [
            (1, 1), (132, 50), (500, 200), (501, 201), (.max, .max), (0, 0), (0, 50), (132, 0),
        ]
        let sizes = reported.map { Terminal.size(columns: $0.0, rows: $0.1) }
        #expect(sizes.map { $0.width } == [1, 132, 500, 500, 500, 80, 80, 80])
        #expect(sizes.map { $0.height } == [1, 50, 200, 200, 200, 24, 24, 24])
    }

    @Test func aLocaleOfUnicodeIsKnownByItsName() async {
        // GIVEN a process with a locale THEN it uses Unicode if the name says so, in any of its spellings
        await #expect(processExitsWith: .success) {
            func isUnicode(_ all: String?, _ type: String?, _ language: String?) -> Bool {
                for (name, value) in [("LC_ALL", all), ("LC_CTYPE", type), ("LANG", language)] {
                    if let value { setenv(name, value, 1) } else { unsetenv(name) }
                }
                return Terminal.isUnicode
            }
            let names = ["C.UTF-8", "de_DE.utf8", "en_GB.utf-8", "en_GB.UTF8", "C", "POSIX", "de_DE.ISO-8859-1", ""]
            #expect(names.map { isUnicode(nil, nil, $0) } == [true, true, true, true, false, false, false, false])
            #expect(!isUnicode(nil, nil, nil))
            // AND LC_ALL counts before LC_CTYPE, and that before LANG; an empty one counts as none
            #expect(isUnicode("C.UTF-8", "C", "C") && !isUnicode("C", "C.UTF-8", "C.UTF-8"))
            #expect(isUnicode("", "C.UTF-8", "C") && !isUnicode("", "C", "C.UTF-8") && isUnicode("", "", "C.UTF-8"))
        }
    }
}
