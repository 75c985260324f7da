import CSystem
import Foundation
import Frames
import Glibc
import Platform
import PoseMath
import Testing

@testable import Publishing

/// The terminal with NMEA sentences: its rate, its mode, and its link.
@Suite struct NMEAOutputTests {
    /// A path of this test alone.
    private let path = NSTemporaryDirectory() + "posed-nmea-\(UUID().uuidString)"

    /// A program that reads the terminal.
    private final class Reader {
        let descriptor: Int32

        init(_ path: String) { descriptor = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC) }

        deinit { close(descriptor) }

        /// What has arrived up to a text; the kernel passes it on a little later.
        func text(to end: String) -> String {
            var text = ""
            while !text.hasSuffix(end) {
                var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                var buffer = [UInt8](repeating: 0, count: 8192)
                guard poll(&watched, 1, 20_000) == 1 else { break }
                let count = read(descriptor, &buffer, buffer.count)
                guard count > 0 else { break }
                text += String(decoding: buffer[..<count], as: UTF8.self)
            }
            return text
        }

        /// Whether so many bytes wait to be read, as soon as the kernel has passed them on; a deadline only ends what
        /// hangs.
        func holds(_ count: Int) -> Bool {
            let began = SystemClock.monotonicNow
            while Int(posed_unread(descriptor)) != count, SystemClock.monotonicNow.seconds(since: began) < 20 {
                sched_yield()
            }
            return Int(posed_unread(descriptor)) == count
        }
    }

    /// A frame of an instant, which its sentences tell to a hundredth of a second.
    private static func frame(_ seconds: Double) -> Frame {
        var frame = Frame()
        frame.utcNanoseconds = 1_785_000_000_000_000_000 + Int64(seconds * 1e9)
        frame.pose.state = .aligned
        (frame.pose.latitudeRadians, frame.pose.longitudeRadians) = (0.8, 0.1)
        return frame
    }

    private static func sentences(_ seconds: Double) -> String {
        var encoder = NMEAEncoder()
        return String(decoding: encoder.sentences(frame(seconds)), as: UTF8.self)
    }

    private func at(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: Int64(seconds * 1e9)) }

    @Test(
        arguments: [
            (5.0, [0.0, 0.1, 0.2, 0.3, 0.4], [0.0, 0.2, 0.4]), (0.1, [0, 0.5, 1, 1.5, 2], [0, 1, 2]),
            (1, [0, 0.5, 1, 1.5, 2], [0, 1, 2]), (50, [0, 0.01, 0.02, 0.03, 0.04], [0, 0.02, 0.04]),
            (200, [0, 0.01, 0.02, 0.03, 0.04], [0, 0.02, 0.04]),
        ] as [(Double, [Double], [Double])])
    func theRateIsThatOfTheSettingsFrom1To50Hertz(rate: Double, times: [Double], taken: [Double]) throws {
        // GIVEN a terminal of a rate WHEN frames come THEN those that are due are read whole, the others not at all,
        // and one without UTC gives nothing; the last one, much later, is due in any case
        let output = try NMEAOutput(path: path, rateHertz: rate, mode: 0o640)
        let reader = Reader(path)
        output.publish(Frame(), now: at(-10))
        for time in times + [30] { output.publish(Self.frame(time), now: at(time)) }
        let text = reader.text(to: Self.sentences(30))
        #expect(text == (taken + [30]).map { Self.sentences($0) }.joined() && Self.sentences(0) != Self.sentences(0.01))
        output.remove()
        #expect(access(path, F_OK) != 0)
    }

    @Test(arguments: [(1.0, 1.0), (50, 0.02), (60, 0.02)])
    func aFrameThatIsTooEarlyHasNoSentences(rate: Double, period: Double) throws {
        // GIVEN 100 frames that come at the rate THEN the sentences of each are read
        let output = try NMEAOutput(path: path, rateHertz: rate, mode: 0o600)
        let reader = Reader(path)
        for time in (0..<100).map({ Double($0) * period }) {
            output.publish(Self.frame(time), now: at(time))
            #expect(reader.text(to: Self.sentences(time)) == Self.sentences(time))
        }
        // WHEN one comes by a third of the time too early, and then one in time THEN only the second one is read
        output.publish(Self.frame(500), now: at(99.7 * period))
        output.publish(Self.frame(600), now: at(100 * period))
        #expect(reader.text(to: Self.sentences(600)) == Self.sentences(600))
        output.remove()
    }

    @Test(arguments: [(0o640, 0o640), (0o777, 0o666), (0o600, 0o600)] as [(UInt32, UInt32)])
    func theTerminalHasTheModeOfTheSettings(mode: UInt32, expected: UInt32) throws {
        let output = try NMEAOutput(path: path, rateHertz: 1, mode: mode)
        var information = stat()
        #expect(stat(path, &information) == 0 && information.st_mode & 0o777 == expected)
        // AND what programs write is read and forgotten
        let reader = Reader(path)
        #expect(write(reader.descriptor, "probe\n", 6) == 6)
        var watched = pollfd(fd: output.descriptor, events: Int16(POLLIN), revents: 0)
        #expect(poll(&watched, 1, 20_000) == 1)
        output.serve(now: at(0))
        var byte: UInt8 = 0
        #expect(read(output.descriptor, &byte, 1) < 0)
        output.remove()
    }

    @Test(arguments: [(900, true), (901, false)]) func nineHundredBytesMayWait(count: Int, isKept: Bool) throws {
        // GIVEN a terminal in which so many bytes wait to be read
        let output = try NMEAOutput(path: path, rateHertz: 50, mode: 0o600)
        let reader = Reader(path)
        let waiting = String(repeating: "x", count: count)
        #expect(write(output.descriptor, waiting, count) == count && reader.holds(count))
        // WHEN there are new sentences THEN they come behind these bytes, or instead of them
        output.publish(Self.frame(0), now: at(0))
        let sentences = Self.sentences(0)
        #expect(reader.text(to: sentences) == (isKept ? waiting : "") + sentences)
        output.remove()
    }

    @Test func whatWaitsIsDiscardedForNewSentencesOnly() throws {
        // GIVEN a program that has not read the sentences of some instants, more than 900 bytes
        let output = try NMEAOutput(path: path, rateHertz: 50, mode: 0o600)
        let reader = Reader(path)
        var (instants, waiting) = (0, 0)
        while waiting <= 900 {
            output.publish(Self.frame(Double(instants)), now: at(Double(instants)))
            waiting += Self.sentences(Double(instants)).utf8.count
            instants += 1
        }
        #expect(reader.holds(waiting))
        // WHEN a frame without UTC comes, which has no sentences THEN those that wait are still there
        output.publish(Frame(), now: at(Double(instants)))
        #expect(Int(posed_unread(reader.descriptor)) == waiting)
        // WHEN there are new sentences THEN only these are read
        let last = Double(instants + 1)
        output.publish(Self.frame(last), now: at(last))
        #expect(reader.text(to: Self.sentences(last)) == Self.sentences(last))
        output.remove()
    }

    @Test func onlyALinkIsReplacedAndOnlyTheOwnOneRemoved() throws {
        // GIVEN a file at the path THEN it stays, and the error says so; a link is replaced
        let file = path + "-file"
        #expect(FileManager.default.createFile(atPath: file, contents: Data([1])))
        defer { unlink(file) }
        #expect(throws: SocketError.self) { try NMEAOutput(path: file, rateHertz: 1, mode: 0o600) }
        #expect(FileManager.default.contents(atPath: file) == Data([1]))
        #expect(symlink("/nowhere", path) == 0)
        let output = try NMEAOutput(path: path, rateHertz: 1, mode: 0o600)
        let reader = Reader(path)
        output.publish(Self.frame(0), now: at(0))
        #expect(reader.text(to: Self.sentences(0)) == Self.sentences(0))
        // WHEN another daemon has put its link there THEN it is not removed
        let other = try NMEAOutput(path: path, rateHertz: 1, mode: 0o600)
        output.remove()
        #expect(Reader(path).descriptor >= 0)
        other.remove()
        #expect(access(path, F_OK) != 0)
        #expect(throws: SocketError.self) { try NMEAOutput(path: "/nowhere/x/y", rateHertz: 1, mode: 0o600) }
    }
}
