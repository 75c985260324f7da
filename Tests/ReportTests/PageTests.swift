import Engine
import Foundation
import Frames
import Fusion
import PoseMath
import Replay
import SeededNumbers
import Testing

@testable import Report

/// The page as a file: nothing external, no markup from a recording, bounded in size.
@Suite struct PageTests {
    /// Figures of frames that are made up, without an engine.
    private static func figures(name: String, frames: some Sequence<Frame>) -> DriveFigures {
        let collector = DriveCollector(kinds: [.gps, .imu])
        for frame in frames { collector.write(frame) }
        return DriveFigures(
            name: name, format: "test", drive: collector, reference: nil, settings: FusionSettings(),
            notes: ["a note with <b>markup</b> & \"quotes\""], roads: nil)
    }

    @Test func nothingIsLoadedFromOutside() throws {
        let page = try Pages.text([try Drives.figures(try Drives.simulated(seed: 6, edges: 4))])
        // THEN no address is in it, and the policy allows none
        for word in ["http://", "https://", " src=", "@import", "url(", "//cdn", "<link"] {
            #expect(!page.contains(word), "\(word)")
        }
        #expect(page.contains("default-src 'none'"))
    }

    @Test func textsOfARecordingStayTexts() throws {
        // GIVEN a recording whose name and notes try to end the script
        let name = "/x/</script><script>alert(1)</script>&<img onerror=x>"
        let page = try Pages.text([Self.figures(name: name, frames: [Frame()])])
        // THEN no markup of them is in the page: three scripts as always, one of them the page's own
        #expect(page.components(separatedBy: "<script").count == 4)
        #expect(!page.contains("<img") && !page.contains("<b>") && !page.contains("alert(1)</script>"))
    }

    @Test func aDriveWithoutAPlaceIsShownToo() throws {
        // GIVEN a drive without a receiver, of which only the attitude is known
        let frames = (0..<10).map { index in
            var frame = Frame()
            frame.timeNanoseconds = Int64(index) * 1_000_000_000
            frame.pose.state = .attitudeOnly
            frame.pose.rollRadians = 0.1
            return frame
        }
        let figures = Self.figures(name: "indoors", frames: frames)
        #expect(figures.origin == nil && figures.findings.contains { $0.text == "no fix of a receiver" })
        // THEN the page has its series: it lists the findings, sensors and events of the drives that have one
        let page = try Pages.text([figures])
        #expect(page.contains("id=\"series\">[{\"interval\":"))
    }

    @Test func anHourHasAtMostFiveMegabytes() throws {
        // GIVEN an hour at 100 Hz whose values change as noise does, which no encoding shortens
        var random = SplitMix64(seed: 11)
        let frames = (0..<360_000).lazy.map { index in
            var frame = Frame()
            frame.timeNanoseconds = Int64(index) * 10_000_000
            frame.pose.state = .aligned
            frame.pose.latitudeRadians = 0.8 + Double(index) * 3e-8 + random.uniform(0, 1e-6)
            frame.pose.longitudeRadians = 0.2 + random.uniform(0, 1e-6)
            frame.pose.altitudeEllipsoidMeters = 100 + random.uniform(0, 9)
            frame.pose.positionSigmaENUMeters = .init(random.uniform(1, 9), 2, 3)
            frame.pose.headingTrueRadians = random.uniform(0, 6.2)
            frame.pose.headingSigmaRadians = random.uniform(0, 0.1)
            frame.pose.rollRadians = random.uniform(-0.2, 0.2)
            frame.pose.pitchRadians = random.uniform(-0.2, 0.2)
            frame.pose.fixAgeSeconds = random.uniform(0, 9)
            frame.speed.speedMetersPerSecond = random.uniform(0, 40)
            frame.speed.limitMetersPerSecond = 20
            return frame
        }
        let page = try Pages.text([Self.figures(name: "hour", frames: frames)])
        // THEN the page is at most 5 MB
        #expect(page.utf8.count < 5_000_000, "\(page.utf8.count) bytes")
        // THEN ten hours have as many samples
        #expect(page.utf8.count > 500_000)
    }

    @Test func aFullDiskIsOneMessageWithTheRemedy() throws {
        // GIVEN a disk that is full
        let figures = Self.figures(name: "x", frames: [Frame()])
        // WHEN the page is written THEN the error names the path, the reason and the remedy
        let error = #expect(throws: LineOutputError.self) {
            var output = try LineOutput(path: "/dev/full")
            try ReportPage.write([figures], to: &output)
            try output.finish()
        }
        let text = error?.description ?? ""
        #expect(text.hasPrefix("/dev/full: cannot be written: No space left on device; give a file"), "\(text)")
    }
}
