import Measurements
import PoseMath
import Testing

@testable import Recording

/// All events of a folder.
func events(in folder: String) throws -> [SensorEvent] {
    var reader = try RecordingReader(folder: folder)
    var all: [SensorEvent] = []
    while let event = try reader.next() { all.append(event) }
    return all
}

let imuHeader = "t_s,gyro_x_rad_s,gyro_y_rad_s,gyro_z_rad_s,accel_x_m_s2,accel_y_m_s2,accel_z_m_s2\n"
let gnssHeader = "t_s,arrival_s,lat_deg,lon_deg,alt_hae_m,vel_n_m_s,vel_e_m_s,vel_d_m_s,eph_m,epv_m,sacc_m_s,mode,rtk\n"

@Suite struct RecordingReaderTests {
    @Test func mergesByArrivalThenKind() throws {
        // GIVEN five files with events at equal and at different times
        let folder = try TemporaryFolder([
            "imu.csv": imuHeader + "0.00,1,2,3,4,5,6\n0.01,0,0,0,0,0,9.8\n0.02,0,0,0,0,0,9.8\n",
            "mag.csv": "t_s,mag_x_ut,mag_y_ut,mag_z_ut\n0.01,20,0,-40\n",
            "gnss.csv": gnssHeader + "0.000,0.01,50.5,7.25,100,1,2,-3,2,4,0.3,3,2\n",
            "wheel.csv": "t_s,speed_m_s\n0.01,-2.5\n",
            "baro.csv": "t_s,pressure_pa\n0.01,101325\n",
        ])
        // WHEN they are read
        let all = try events(in: folder.path)
        // THEN they are ordered by arrival, and at 0.01 s inertial, magnetic, pressure, wheels, satellites
        #expect(all.count == 7)
        guard all.count == 7, case .inertial(let first) = all[0], case .inertial = all[1],
            case .magnetic(let magnetic) = all[2],
            case .pressure(let pressure) = all[3], case .wheelSpeed(let wheel) = all[4], case .gnss(let fix) = all[5],
            case .inertial = all[6]
        else {
            Issue.record("wrong order: \(all)")
            return
        }
        #expect(first.angularRateRadiansPerSecond == Vector3(1, 2, 3))
        #expect(first.specificForceMetersPerSecondSquared == Vector3(4, 5, 6))
        // The factor 1e-6 rounds once; 1e-18 T is far below that.
        #expect((magnetic.fluxDensityTesla - Vector3(20e-6, 0, -40e-6)).length < 1e-18)
        #expect(pressure.pressurePascal == 101_325)
        #expect(wheel.speedMetersPerSecond == -2.5)
        #expect(fix.validityTime == MonotonicTime(nanoseconds: 0))
        #expect(fix.arrivalTime == MonotonicTime(nanoseconds: 10_000_000))
    }

    @Test func rowsOfOneTimeAreReadInTheirOrder() throws {
        // GIVEN rows of the same time, and a later one WHEN they are read THEN all are there, in the order of the file
        let folder = try TemporaryFolder(["wheel.csv": "t_s,speed_m_s\n1,3\n1,2\n2,4\n"])
        let speeds = try events(in: folder.path).map { event -> Double? in
            guard case .wheelSpeed(let sample) = event else { return nil }
            return sample.speedMetersPerSecond
        }
        #expect(speeds == [3, 2, 4])
    }

    @Test func sigmasAreConvertedToAxes() throws {
        // GIVEN a fix with a radius of 2 m over both axes and a speed accuracy of 0.3 m/s over three axes
        let folder = try TemporaryFolder(["gnss.csv": gnssHeader + "0,0.05,50.5,-7.25,100,1,2,-3,2,4,0.3,3,2\n"])
        guard case .gnss(let fix) = try #require(try events(in: folder.path).first) else {
            Issue.record("no fix")
            return
        }
        // THEN each axis has the sigma of one axis
        #expect(abs((fix.horizontalSigmaMeters ?? 0) - 1.414_213_562) < 1e-9)
        #expect(fix.verticalSigmaMeters == 4)
        #expect(abs((fix.speedSigmaMetersPerSecond ?? 0) - 0.173_205_081) < 1e-9)
        #expect(abs((fix.climbSigmaMetersPerSecond ?? 0) - 0.173_205_081) < 1e-9)
        #expect(fix.latitudeRadians == 50.5.degreesInRadians)
        #expect(fix.longitudeRadians == (-7.25).degreesInRadians)
        #expect(fix.horizontalVelocity == HorizontalVelocity(eastMetersPerSecond: 2, northMetersPerSecond: 1))
        #expect(fix.climbMetersPerSecond == 3)
        #expect(fix.mode == .threeDimensional)
        #expect(fix.quality == .rtkFixed)
    }

    @Test func missingValuesAreUnknown() throws {
        // GIVEN a receiver with positions only, some rows without a fix, and an unknown column
        let folder = try TemporaryFolder(["gnss.csv": "t_s,lat_deg,lon_deg,mood\n1,50.5,7.25,good\n2,,,\n"])
        let all = try events(in: folder.path)
        guard all.count == 2, case .gnss(let fix) = all[0], case .gnss(let none) = all[1] else {
            Issue.record("not two fixes")
            return
        }
        // THEN missing values are unknown
        #expect(fix.arrivalTime == fix.validityTime)
        #expect(fix.mode == .twoDimensional)
        #expect(fix.quality == .unknown)
        #expect(fix.altitudeEllipsoidMeters == nil && fix.horizontalVelocity == nil && fix.climbMetersPerSecond == nil)
        #expect(
            fix.horizontalSigmaMeters == nil && fix.verticalSigmaMeters == nil && fix.speedSigmaMetersPerSecond == nil)
        #expect(none.mode == .none && none.latitudeRadians == nil)
    }

    @Test func lateFixesMayBeOutOfOrder() throws {
        let folder = try TemporaryFolder(["gnss.csv": "t_s,arrival_s,lat_deg,lon_deg\n2,2.1,50,7\n1,2.2,50,7\n"])
        #expect(try events(in: folder.path).count == 2)
    }

    @Test func toleratesWindowsLineEndsBlankLinesAndAByteOrderMark() throws {
        let folder = try TemporaryFolder(["wheel.csv": "\u{FEFF}t_s, speed_m_s\r\n0,1\r\n\r\n  \r\n1, 2 "])
        let all = try events(in: folder.path)
        #expect(all.map(\.arrivalTime.seconds) == [0, 1])
    }

    @Test func rowWithoutReadingsIsSkipped() throws {
        let folder = try TemporaryFolder(["wheel.csv": "t_s,speed_m_s\n0,1\n1,\n2,3\n"])
        #expect(try events(in: folder.path).map(\.arrivalTime.seconds) == [0, 2])
    }

    @Test func filesLargerThanTheBufferAreReadCompletely() throws {
        // GIVEN 60,000 rows, several times the read buffer, so that lines straddle its end at many places
        var text = "t_s,speed_m_s\n"
        for row in 0..<60_000 { text += "\(row),\(Double(row % 1_000) / 8)\n" }
        let folder = try TemporaryFolder(["wheel.csv": text])
        let all = try events(in: folder.path)
        // THEN none is lost or changed
        #expect(all.count == 60_000)
        for (row, event) in all.enumerated() {
            guard case .wheelSpeed(let sample) = event, sample.time.nanoseconds == Int64(row) * 1_000_000_000,
                sample.speedMetersPerSecond == Double(row % 1_000) / 8
            else {
                Issue.record("row \(row) is \(event)")
                return
            }
        }
    }
}
