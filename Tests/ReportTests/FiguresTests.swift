import BoundedJSON
import Engine
import Foundation
import Frames
import Fusion
import Geodesy
import Measurements
import PoseMath
import Replay
import Simulation
import Testing

@testable import Report

/// The figures and findings of simulated drives, of which everything is known.
@Suite struct FiguresTests {
    @Test func theErrorsAreThoseOfTheDrive() throws {
        // GIVEN a drive with a good receiver, against its truth
        let figures = try Drives.figures(try Drives.simulated(seed: 4))
        let errors = try #require(figures.errors)
        // THEN the positions are as good as such a receiver makes them (0.01 m white; 0.1 m in the first seconds
        // before the alignment), and the headings known to a degree once aligned
        #expect(errors.horizontal.count > 500)
        var horizontal = errors.horizontal
        let median = horizontal.quantile(0.5)
        #expect(median.map { $0 < 0.1 } == true, "\(median ?? -1)")
        var heading = errors.headingDegrees
        let headingMedian = heading.quantile(0.5)
        #expect(headingMedian.map { $0 < 1 } == true, "\(headingMedian ?? -1)")
        // THEN more errors are within two sigmas than within one
        #expect(errors.within[0] <= errors.within[1] && errors.within[1] <= errors.within[2])
        #expect(figures.share(.aligned) > 0.5)
        #expect(figures.drive.innovations.sources[.gnssPosition]?.accepted ?? 0 > 100)
        let length = try Drives.simulated(seed: 4).drive.lengthMeters
        #expect(abs(figures.drive.poses.lengthMeters - length) < 30)
    }

    @Test func anAntennaBehindTheIMUIsFoundUnlessConfigured() throws {
        // GIVEN an antenna 1.4 m behind the IMU of which the settings say nothing
        let drive = try Drives.simulated(seed: 7, edges: 30) {
            $0.satellite?.leverArmBodyMeters = Vector3(-1.4, 0, 0)
        }
        let found = try Drives.figures(drive).findings
        // THEN the report tells where it is, and the setting
        let finding = try #require(found.first { $0.text.hasPrefix("antenna") }, "\(found)")
        #expect(finding.text.contains("m behind the IMU, not configured"))
        #expect(finding.remedy.hasPrefix("set fusion.antenna_lever_arm_m: [-1."))
        // WHEN the settings tell it THEN nothing is found
        var settings = EngineSettings()
        settings.fusion.antennaLeverArmBodyMeters = Vector3(-1.4, 0, 0)
        let known = try Drives.figures(drive, settings: settings).findings
        #expect(!known.contains { $0.text.hasPrefix("antenna") })
    }

    @Test(arguments: [0.03, 0.06, 0.2]) func wheelsThatStateAnotherSpeedAreANote(largest: Double) throws {
        // GIVEN a drive with wheels whose scale is wrong by so much at most, with this seed by three quarters of it
        let drive = try Drives.simulated(seed: 3) { suite in
            suite.wheels = SensorSuite.Wheels()
            suite.wheels?.scale = largest
        }
        // WHEN the drive is over THEN the report tells what they state beyond the true speed, if that is more than 3 %
        let figures = try Drives.figures(drive)
        let scale = try #require(figures.drive.innovations.trust.wheels).scale
        let found = figures.findings.filter { $0.text.contains("more speed, which is corrected") }
        let percent = ((1 / scale - 1) * 1000).rounded() / 10
        #expect(
            found.map(\.text)
                == (abs(scale - 1) > 0.03 ? ["the wheels state \(percent) % more speed, which is corrected"] : []))
        #expect(found.allSatisfy { $0.severity == .note })
        // AND the figures have the scale with four decimals, the lags and the innovations with three
        var writer = JSONWriter()
        figures.writeFigures(to: &writer)
        let text = writer.text
        #expect(text.contains(/"position_lag_s":-?\d\.\d{3},"velocity_lag_s":-?\d\.\d{3},"wheel_scale":[01]\.\d{4},/))
        #expect(text.contains(/"source":"gnssPosition","used":\d+,"refused":\d+,"normalised_rms":\d\.\d{3},/))
        // AND the innovations are drawn every 0.05 s, in steps of 0.02 sigmas
        var series = JSONWriter()
        figures.writeSeries(to: &series, origin: LocalFrame(origin: try #require(figures.origin)))
        #expect(
            series.text.contains(
                /"innovations":\[{"source":"gnssPosition","t":{"step":0\.050,"d":\[[\d,-]+\]},"x":{"step":0\.020,/))
    }

    @Test func anOutageIsFoundWithItsTime() throws {
        // GIVEN a drive with a tunnel of 20 s
        let drive = try Drives.simulated(seed: 3) { $0.satellite?.outages = [100...120] }
        let figures = try Drives.figures(drive)
        // THEN it is a gap of the receiver and a time without a fix
        let gap = try #require(figures.findings.first { $0.text.hasPrefix("gps: 1 gap") }, "\(figures.findings)")
        let at = try #require(gap.atSeconds)
        #expect(abs(at - 100) < 1)
        let without = figures.findings.first { $0.text.contains("s without a usable fix") }
        #expect(abs((without?.atSeconds ?? 0) - 100) < 1, "\(figures.findings)")
        // 20 s and the interval and latency of the receiver
        #expect(abs(figures.drive.poses.longestWithoutFix.seconds - 20) < 1)
    }

    @Test func gapsAreListedForTheSensorsThatThereAre() throws {
        // GIVEN a drive with an IMU and a receiver alone WHEN its series are written
        let figures = try Drives.figures(try Drives.simulated(seed: 5, edges: 6))
        let page = try Pages.text([figures])
        // THEN the gaps are those of these two, and no sensor that is absent has a row
        let list = try #require(page.firstMatch(of: /"gaps":(\[\{"name".*?\}\])/)).output.1
        let names = list.matches(of: /"name":"([^"]*)"/).map { String($0.output.1) }
        let sensors = SensorKind.allCases.filter { figures.drive.summary.sensors[$0] != nil }
        #expect(names == sensors.map(\.title) && !sensors.isEmpty && sensors.count < SensorKind.allCases.count)
        // AND where nothing is missing, no gap is a finding
        #expect(sensors.allSatisfy { figures.drive.summary.sensors[$0]?.gaps == 0 })
        #expect(figures.findings.allSatisfy { !$0.text.contains("gap") }, "\(figures.findings)")
    }

    @Test func jsonHasTheFiguresOfThePage() throws {
        // GIVEN the figures of a drive
        let figures = try Drives.figures(try Drives.simulated(seed: 5, edges: 6))
        var writer = JSONWriter()
        figures.writeFigures(to: &writer)
        let text = writer.text
        // THEN they are one JSON object with numbers
        let root = try JSONDocument(text).root
        let used = try root.required("fixes").required("used").requiredDouble()
        let error = try root.required("error").required("horizontal_m").required("rms").requiredDouble()
        #expect(used > 10 && error < 1)
        // WHEN the page is written THEN it has the same bytes
        let page = try Pages.text([figures])
        #expect(page.contains("id=\"figures\">[\(text.replacingOccurrences(of: "<", with: "\\u003c"))]</script>"))
    }
}

/// Pages in a temporary file.
enum Pages {
    static func text(_ figures: [DriveFigures]) throws -> String {
        let path = NSTemporaryDirectory() + "posed-page-\(UUID().uuidString).html"
        defer { unlink(path) }
        var output = try LineOutput(path: path)
        try ReportPage.write(figures, to: &output)
        try output.finish()
        return try String(contentsOfFile: path, encoding: .utf8)
    }
}
