import Foundation
import Geodesy
import PoseMath
import Testing

@testable import Roads

/// The speed for a curve against the lateral acceleration that a real driver accepted.
@Suite struct CurveDriveTests {
    /// A sample of the recorded truth: seconds, Earth-centred position, speed (m/s) and course (rad).
    struct Sample {
        var seconds: Double
        var place: Vector3
        var speed: Double
        var course: Double
    }

    static let file: URL? = {
        var folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        for _ in 0..<6 {
            folder.deleteLastPathComponent()
            let file = folder.appendingPathComponent("shared/data/car_drive/truth.csv")
            if FileManager.default.fileExists(atPath: file.path) { return file }
        }
        return nil
    }()

    static func samples(_ file: URL) throws -> [Sample] {
        try String(contentsOf: file, encoding: .utf8).split(separator: "\n").dropFirst().map { line in
            let numbers = line.split(separator: ",").map { Double($0) ?? .nan }
            let place = GeodeticPosition(
                latitudeDegrees: numbers[1], longitudeDegrees: numbers[2], altitudeEllipsoidMeters: 0)
            return Sample(
                seconds: numbers[0], place: place.ecefMeters,
                speed: (numbers[4] * numbers[4] + numbers[5] * numbers[5]).squareRoot(),
                course: atan2(numbers[5], numbers[4]))
        }
    }

    /// GIVEN the path of a real drive WHEN the speed for each of its bends is computed from the path alone THEN the
    /// lateral acceleration at the driven speed is the measured one, and the advice is the speed of the driver.
    @Test(.enabled(if: file != nil, "the recorded car drive is not here"))
    func bendsOfARealDrive() throws {
        let samples = try Self.samples(try #require(Self.file))
        var line: [Sample] = []
        for sample in samples where line.last.map({ ($0.place - sample.place).length >= 1.5 }) ?? true {
            line.append(sample)
        }
        var (ratios, advised): ([Double], [Double]) = ([], [])
        for index in 10..<(line.count - 10) {
            let here = line[index]
            // The receiver's velocity is 0.13 s late, so the courses are those of half a fix later.
            let turned = Angle.wrappedToPi(line[index + 2].course - line[index - 2].course)
            let seconds = line[index + 2].seconds - line[index - 2].seconds
            let measured = here.speed * abs(turned) / seconds
            guard seconds < 3, here.speed > 4, measured > 1.5 else { continue }
            // 9 m on each side: the curvature is that of 15 m around the place.
            var horizon = RoadHorizon()
            for point in line[(index - 10)...(index + 10)] where (point.place - here.place).length < 9 {
                horizon.append(point.place)
            }
            guard horizon.lengthMeters > 15 else { continue }
            let advice = try #require(horizon.governingCurve())
            advised.append(advice.speedMetersPerSecond / here.speed)
            ratios.append(
                2.2 / (advice.speedMetersPerSecond * advice.speedMetersPerSecond) * here.speed * here.speed / measured)
        }
        ratios.sort()
        advised.sort()
        #expect(ratios.count > 100)
        let spread = [0.05, 0.5, 0.95].map { ratios[Int(Double(ratios.count - 1) * $0)] }
        let median = advised[advised.count / 2]
        print("lateral acceleration by path over velocities, 5, 50, 95 %: \(spread); advised over driven: \(median)")
        #expect(abs(spread[1] - 1) < 0.1 && spread[0] > 0.75 && spread[2] < 1.3, "\(spread)")
        // The driver went through the bends at about the advised speed: 2.2 m/s2 is what drivers accept.
        #expect(abs(median - 1) < 0.15, "\(median)")
    }
}
