import Calibration
import Measurements
import PoseMath
import Testing

@testable import Monitor

/// The samples of a daemon whose replies are there before they are asked for.
@Suite struct SampleClientTests {
    /// One sample of the IMU per number.
    private func inertial(_ numbers: Range<Int>) -> String {
        numbers.map { "[\($0),1,2,3,4,5,6]" }.joined(separator: ",")
    }

    @Test func everyNumberIsThatOfTheReply() throws {
        // GIVEN a daemon that has samples, losses, devices and corrections
        let daemon = try PretendedDaemon()
        var client = try SampleClient(socketPath: daemon.path)
        #expect(daemon.accepts())
        daemon.say(#"{"type":"event"}"#)
        daemon.say(
            #"{"type":"reply","ok":true,"last":7,"lost":3,"imu":[[11,1.5,2.5,3.5,4.5,5.5,6.5],[1,2]],"#
                + #""mag":[[12,20,-30,40],[1,2,3]],"imu_device":"icm","mag_device":"ak","#
                + #""gyro_correction":[0.5,0.25,0.125,1.125,1.25,1.375,0.0625,0.1875,0.3125],"#
                + #""accelerometer_correction":[1,2,3,4,5,6,7,8,9],"#
                + #""magnetometer_correction":[20,-30,40,1,1,1,0,0,0.25]}"#)
        // WHEN it is asked THEN each number is in its place and unit, and what is no sample is left out
        let batch = try client.next()
        let inertial = InertialSample(
            time: MonotonicTime(nanoseconds: 11), angularRateRadiansPerSecond: Vector3(1.5, 2.5, 3.5),
            specificForceMetersPerSecondSquared: Vector3(4.5, 5.5, 6.5))
        let magnetic = MagneticSample(
            time: MonotonicTime(nanoseconds: 12), fluxDensityTesla: Vector3(20, -30, 40) * 1e-6)
        #expect(batch.events == [.inertial(inertial), .magnetic(magnetic)] && batch.lost == 3)
        #expect(batch.imuDevice == "icm" && batch.magnetometerDevice == "ak")
        let gyro = SensorCorrection(
            offset: Vector3(0.5, 0.25, 0.125), diagonal: Vector3(1.125, 1.25, 1.375),
            offDiagonal: Vector3(0.0625, 0.1875, 0.3125))
        #expect(batch.corrections.gyro == gyro)
        // A correction that no working sensor has is none.
        #expect(batch.corrections.accelerometer == nil)
        let iron = batch.corrections.magnetometer
        #expect(iron?.offset == Vector3(20, -30, 40) / 1e6 && iron?.offDiagonal == Vector3(0, 0, 0.25))
        // AND the next request asks for those after the last one
        daemon.say(#"{"type":"reply","ok":true}"#)
        #expect(try client.next().events.isEmpty)
        let last = daemon.heard()
        #expect(last.hasPrefix(#"{"cmd":"samples"}"#) && last.contains(#"{"cmd":"samples","after":7}"#), "\(last)")
    }

    @Test(arguments: [(255, 255), (256, 257)]) func afterAFullReplyTheNextOneIsAskedFor(count: Int, all: Int) throws {
        // GIVEN a daemon that has as many samples as a full reply, or one less, and then one more with a loss
        let daemon = try PretendedDaemon()
        var client = try SampleClient(socketPath: daemon.path)
        #expect(daemon.accepts())
        // The first one fills what is read at once: a reply that comes with another one is none to the next request.
        let first = #"{"type":"reply","ok":true,"lost":1,"imu":[\#(inertial(0..<count))],"mag":[]}"#
        daemon.say(first + String(repeating: " ", count: 65_535 - first.utf8.count))
        daemon.say(#"{"type":"reply","ok":true,"lost":2,"imu":[\#(inertial(count..<count + 1))]}"#)
        // WHEN samples are taken THEN the second reply is taken with the first one only if that was full
        let batch = try client.next()
        #expect(batch.events.count == all && batch.lost == (all > count ? 3 : 1))
    }

    @Test func aRefusalIsTold() throws {
        let daemon = try PretendedDaemon()
        var client = try SampleClient(socketPath: daemon.path)
        #expect(daemon.accepts())
        daemon.say(#"{"type":"reply","ok":false,"error":{"what":"is off","where":"samples","remedy":"turn it on"}}"#)
        do {
            _ = try client.next()
            Issue.record("no refusal")
        } catch {
            #expect(error.description == "samples: is off; turn it on")
        }
        // AND a daemon that goes
        daemon.stop()
        do {
            _ = try client.next()
            Issue.record("no end")
        } catch {
            #expect(error.description == "\(daemon.path): posed closed the connection")
        }
    }
}
