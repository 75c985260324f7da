import BoundedJSON
import Testing

@testable import Batch

/// The tables of a batch and of a fleet, byte by byte.
@Suite struct ExactTablesTests {
    /// The figures of a drive in a week; every number differs.
    private func figures(_ week: Double, _ more: String = "") throws -> JSONValue {
        try JSONDocument(
            """
            {"begin_utc_s":\(week * 604_800),"duration_s":3960,"length_m":51260,
            "pose":{"state_share":{"aligned":0.75}},"fixes":{"refused":4},"wheel_scale":\(1.01 + week * 0.001),
            "mount":{"rpy_deg":[1.5,-2.25,\(30 + week)]},"position_lag_s":0.0625,
            "velocity_lag_s":\(0.1 + week * week * 0.01),
            "antenna":{"forward_left_m":[-1.25,0.5]},"receiver_trusted_share":0.875,
            "innovations":[{"source":"wheelSpeed","normalised_rms":7},{"source":"gnssPosition","normalised_rms":1.25}],
            "imu_faults":["gyroStuck","gyroClipped"],
            "findings":[{"severity":"problem","text":"b"},{"severity":"problem","text":"a"},
            {"severity":"note","text":"x"}],
            "guidance":{"on_route_s":1800,"off_route_s":900,"departures":3}\(more)}
            """
        ).root
    }

    private var fleet: FleetTable {
        get throws {
            var fleet = FleetTable()
            for week in [0.0, 1, 2, 3] { fleet.add(try figures(week), vehicle: "bus") }
            fleet.add(
                try figures(
                    1, ",\"places\":{\"cell_deg\":0.002,\"cells\":[[10,20,8,2],[11,-21,8,2],[9,20,5,0],[8,8,4,4]]}"),
                vehicle: "an \"a\"")
            fleet.add(
                try JSONDocument("{\"findings\":[{\"severity\":\"problem\",\"text\":\"a\"}]}").root, vehicle: "empty")
            return fleet
        }
    }

    @Test func theTableOfAFleetIsThis() throws {
        let lines = try fleet.csv.split(separator: "\r\n", omittingEmptySubsequences: false)
        #expect(lines.joined(separator: "\n") == Stored.csv)
    }

    @Test func theReportOfAFleetIsThis() throws { #expect(try fleet.report == Stored.report) }

    @Test func theMapOfAFleetIsThis() throws { #expect(try fleet.geoJSON == Stored.geoJSON) }

    @Test func cellsHaveTheirLimits() throws {
        /// The number of cells on the map for a size and one cell of ten fixes.
        func count(_ size: String, _ cell: String) throws -> Int {
            var fleet = FleetTable()
            fleet.add(try JSONDocument("{\"places\":{\"cell_deg\":\(size),\"cells\":[\(cell)]}}").root, vehicle: "v")
            return fleet.geoJSON.components(separatedBy: "Polygon").count - 1
        }
        // GIVEN places at the edge of the globe, and counts at their limits THEN they are there
        for cell in ["[200000,400000,5,5]", "[-200000,-400000,100000000,0]", "[0,0,5,0]"] {
            #expect(try count("0.001", cell) == 1, "\(cell)")
        }
        // THEN what is beyond is not, nor are fewer than five fixes, and more bad ones than there are
        for cell in [
            "[200001,0,5,5]", "[0,-400001,5,5]", "[0,0,100000001,5]", "[0,0,4,0]", "[0,0,5,6]", "[0,0,5,-1]", "[0,0,5]",
            "[1.5,0,5,0]",
        ] { #expect(try count("0.001", cell) == 0, "\(cell)") }
        // THEN the size of a cell is above 0 and at most 1
        for (size, corner) in [("1", "[1.0000,1.0000]"), ("1.001", "[0.0010,0.0010]"), ("0", "[0.0010,0.0010]")] {
            var fleet = FleetTable()
            fleet.add(try JSONDocument("{\"places\":{\"cell_deg\":\(size),\"cells\":[[0,0,5,0]]}}").root, vehicle: "v")
            #expect(fleet.geoJSON.contains(corner), "\(size)")
        }
    }

    @Test func theTableOfABatchIsThis() {
        let results = [
            BatchRun.Result(
                recording: "a, \"b\"", status: .done, exit: 0, seconds: 1.25, output: "o", message: "",
                figures: [("one", 1.2345), ("two", nil)]),
            BatchRun.Result(
                recording: "c\nd", status: .failed, exit: nil, seconds: 0.004, output: "", message: "m", figures: []),
        ]
        #expect(
            BatchTable.csv(results)
                == "recording,status,exit,seconds,output,message,one,two\r\n\"a, \"\"b\"\"\",done,0,1.25,o,,1.235,\r\n"
                + "c d,failed,,0.00,,m,,\r\n")
        #expect(
            BatchTable.json(results)
                == "[{\"recording\":\"a, \\\"b\\\"\",\"status\":\"done\",\"exit\":0,\"seconds\":1.25,\"output\":\"o\","
                + "\"message\":\"\",\"figures\":{\"one\":1.235,\"two\":null}},"
                + "{\"recording\":\"c\\nd\",\"status\":\"failed\","
                + "\"exit\":null,\"seconds\":0.00,\"output\":\"\",\"message\":\"m\",\"figures\":{}}]\n")
    }

    @Test(arguments: [(0.14, false), (0.15, true), (0.28, true)])
    func drivesOfOneDayTellNoChange(weeks: Double, isTold: Bool) throws {
        // GIVEN three drives within just less than a day, just more, and within less than two days THEN only those of
        // more than a day have a scatter around their line
        var fleet = FleetTable()
        for week in [0, weeks / 2, weeks] { fleet.add(try figures(week), vehicle: "bus") }
        #expect(fleet.report.contains("mount_roll_deg: 1.50, scatter 0.00") == isTold)
        #expect(fleet.report.contains("mount_roll_deg: 1.50"))
    }

    @Test func aTrendIsThatByHand() throws {
        // GIVEN the values 1, 2, 6 at 0, 1, 2 THEN the line rises by 2.5, and misses them by 0.5, -1, 0.5
        let trend = try #require(Trend([(0, 1), (1, 2), (2, 6)], shortestSpan: 2))
        #expect(trend.mean == 3 && trend.slope == 2.5 && trend.scatter == 1.5.squareRoot())
        #expect(trend.slopeSigma == 0.75.squareRoot() && !trend.isDrifting)
        // THEN a shorter span has no slope, and a line without scatter drifts, unless it is level
        #expect(try #require(Trend([(0, 1), (1, 2), (2, 6)], shortestSpan: 2.001)).slope == nil)
        #expect(try #require(Trend([(0, 1), (1, 2), (2, 3)])).isDrifting)
        #expect(!(try #require(Trend([(0, 1), (1, 1), (2, 1)])).isDrifting))
        #expect(!(try #require(Trend([(0, 1), (1, 2)])).isDrifting))
    }
}

/// The stored documents.
private enum Stored {
    static let csv = #"""
        vehicle,drives,hours,km,aligned_h,fixes_refused,on_route_h,off_route_h,departures,mount_roll_deg,\#
        mount_roll_deg_scatter,mount_roll_deg_per_week,mount_roll_deg_drifts,mount_pitch_deg,\#
        mount_pitch_deg_scatter,mount_pitch_deg_per_week,mount_pitch_deg_drifts,mount_yaw_deg,\#
        mount_yaw_deg_scatter,mount_yaw_deg_per_week,mount_yaw_deg_drifts,antenna_forward_m,\#
        antenna_forward_m_scatter,antenna_forward_m_per_week,antenna_forward_m_drifts,antenna_left_m,\#
        antenna_left_m_scatter,antenna_left_m_per_week,antenna_left_m_drifts,position_lag_s,\#
        position_lag_s_scatter,position_lag_s_per_week,position_lag_s_drifts,velocity_lag_s,\#
        velocity_lag_s_scatter,velocity_lag_s_per_week,velocity_lag_s_drifts,wheel_scale,wheel_scale_scatter,\#
        wheel_scale_per_week,wheel_scale_drifts,fix_innovation_rms,fix_innovation_rms_scatter,\#
        fix_innovation_rms_per_week,fix_innovation_rms_drifts,receiver_trusted_share,\#
        receiver_trusted_share_scatter,receiver_trusted_share_per_week,receiver_trusted_share_drifts,imu_faults,\#
        problems
        "an ""a""",1,1.10,51.3,0.83,4,0.50,0.25,3,1.500,,,,-2.250,,,,31.000,,,,-1.250,,,,0.500,,,,0.0625,,,,\#
        0.1100,,,,1.01100,,,,1.250,,,,0.8750,,,,gyroClipped gyroStuck,2
        bus,4,4.40,205.0,3.30,16,2.00,1.00,12,1.500,0.000,0.000,no,-2.250,0.000,0.000,no,31.500,0.000,1.000,yes,\#
        -1.250,0.000,0.000,no,0.500,0.000,0.000,no,0.0625,0.0000,0.0000,no,0.1350,0.0141,0.0300,yes,1.01150,\#
        0.00000,0.00100,yes,1.250,0.000,0.000,no,0.8750,0.0000,0.0000,no,gyroClipped gyroStuck,8
        empty,1,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,1

        """#
    static let report = #"""
        # Fleet

        3 vehicles, 6 drives.

        ## an "a"

        - mount_roll_deg: 1.50
        - mount_pitch_deg: -2.25
        - mount_yaw_deg: 31.00
        - antenna_forward_m: -1.25
        - antenna_left_m: 0.50
        - position_lag_s: 0.063
        - velocity_lag_s: 0.110
        - wheel_scale: 1.0110
        - fix_innovation_rms: 1.25
        - receiver_trusted_share: 0.875
        - IMU: gyroClipped on 1 drives
        - IMU: gyroStuck on 1 drives
        - 1 times: a
        - 1 times: b

        ## bus

        - mount_roll_deg: 1.50, scatter 0.00
        - mount_pitch_deg: -2.25, scatter 0.00
        - mount_yaw_deg: 31.50, scatter 0.00; DRIFTS by 1.000 per week, 1-sigma 0.000
        - antenna_forward_m: -1.25, scatter 0.00
        - antenna_left_m: 0.50, scatter 0.00
        - position_lag_s: 0.063, scatter 0.000
        - velocity_lag_s: 0.135, scatter 0.014; DRIFTS by 0.0300 per week, 1-sigma 0.0063
        - wheel_scale: 1.0115, scatter 0.0000; DRIFTS by 0.00100 per week, 1-sigma 0.00000
        - fix_innovation_rms: 1.25, scatter 0.00
        - receiver_trusted_share: 0.875, scatter 0.000
        - IMU: gyroClipped on 4 drives
        - IMU: gyroStuck on 4 drives
        - 4 times: a
        - 4 times: b

        ## empty

        - 1 times: a

        """#
    static let geoJSON = #"""
        {"type":"FeatureCollection","features":[
        {"type":"Feature","geometry":{"type":"Polygon","coordinates":[[[0.0400,0.0200],[0.0420,0.0200],[0.0420,\#
        0.0220],[0.0400,0.0220],[0.0400,0.0200]]]},"properties":{"fixes":8,"bad":2,"bad_share":0.250,\#
        "vehicles":1}},
        {"type":"Feature","geometry":{"type":"Polygon","coordinates":[[[-0.0420,0.0220],[-0.0400,0.0220],\#
        [-0.0400,0.0240],[-0.0420,0.0240],[-0.0420,0.0220]]]},"properties":{"fixes":8,"bad":2,"bad_share":0.250,\#
        "vehicles":1}},
        {"type":"Feature","geometry":{"type":"Polygon","coordinates":[[[0.0400,0.0180],[0.0420,0.0180],[0.0420,\#
        0.0200],[0.0400,0.0200],[0.0400,0.0180]]]},"properties":{"fixes":5,"bad":0,"bad_share":0.000,\#
        "vehicles":1}}]}

        """#
}
