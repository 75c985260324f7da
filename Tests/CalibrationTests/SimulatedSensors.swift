import Foundation
import Measurements
import PoseMath
import SeededNumbers

/// Sensors with known errors.
struct SimulatedSensors {
    var numbers: SplitMix64
    private var spare: Double?

    init(seed: UInt64) { numbers = SplitMix64(seed: seed) }

    /// A normally distributed number of mean 0 and variance 1 (Box and Muller 1958).
    mutating func normal() -> Double {
        if let spare {
            self.spare = nil
            return spare
        }
        let (u, v) = (max(numbers.uniform(), 1e-300), numbers.uniform())
        let radius = (-2 * log(u)).squareRoot()
        spare = radius * sin(2 * .pi * v)
        return radius * cos(2 * .pi * v)
    }

    /// Three of them.
    mutating func normal3(_ sigma: Double = 1) -> Vector3 { Vector3(normal(), normal(), normal()) * sigma }

    /// A direction, uniformly distributed.
    mutating func direction() -> Vector3 {
        while true {
            if let unit = normal3().normalized { return unit }
        }
    }

    /// Numbers between two bounds on each axis.
    mutating func uniform3(_ low: Double, _ high: Double) -> Vector3 {
        Vector3(numbers.uniform(low, high), numbers.uniform(low, high), numbers.uniform(low, high))
    }
}

/// Flicker noise as a sum of first-order Gauss-Markov processes whose time constants are an octave apart: between the
/// shortest and the longest one its density is B^2 / (pi f), one-sided, within 2 %.
struct FlickerNoise {
    private var states: [Double] = []
    private var factors: [Double] = []
    private let sigma: Double

    /// Noise of bias instability B for samples of an interval, over a time.
    init(biasInstability: Double, interval: Double, seconds: Double, _ sensors: inout SimulatedSensors) {
        // Each process has the variance v with v / ln 2 = B^2 / pi.
        sigma = biasInstability * (log(2.0) / .pi).squareRoot()
        var constant = interval / 4
        while constant < 20 * seconds {
            factors.append(exp(-interval / constant))
            states.append(sensors.normal() * sigma)
            constant *= 2
        }
    }

    mutating func next(_ sensors: inout SimulatedSensors) -> Double {
        var sum = 0.0
        for index in states.indices {
            let f = factors[index]
            states[index] = f * states[index] + (1 - f * f).squareRoot() * sigma * sensors.normal()
            sum += states[index]
        }
        return sum
    }
}

extension SensorEvent {
    /// A reading of gyro and accelerometer.
    static func imu(_ seconds: Double, rate: Vector3, force: Vector3) -> SensorEvent {
        .inertial(
            InertialSample(
                time: MonotonicTime(nanoseconds: Int64((seconds * 1e9).rounded())), angularRateRadiansPerSecond: rate,
                specificForceMetersPerSecondSquared: force))
    }

    /// A reading of the magnetometer.
    static func field(_ seconds: Double, _ tesla: Vector3) -> SensorEvent {
        .magnetic(
            MagneticSample(time: MonotonicTime(nanoseconds: Int64((seconds * 1e9).rounded())), fluxDensityTesla: tesla))
    }
}
