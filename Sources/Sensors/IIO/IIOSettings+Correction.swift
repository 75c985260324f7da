import Calibration
import SensorInterface

extension IIOSettings {
    /// The correction of a role of a device; `nil` if none was measured. A calibration of gyro and accelerometer on two
    /// devices names both.
    func correction(_ role: IIORoles, deviceIdentity: String) -> SensorCorrection? {
        guard role != .barometer, !corrections.isEmpty else { return nil }
        let identity = IIODevice.identity(deviceIdentity, turnedBy: sensor(role).mountMatrixOverride)
        let found =
            corrections[identity]
            ?? corrections.first { role != .magnetometer && Self.parts($0.key).contains(identity) }?.value
        switch role {
        case .gyro: return found?.gyro
        case .accelerometer: return found?.accelerometer
        case .magnetometer: return found?.magnetometer
        default: return nil
        }
    }

    /// The devices of an identity such as `a and b`.
    static func parts(_ identity: String) -> [String] {
        guard let range = identity.firstRange(of: " and ") else { return [identity] }
        return [String(identity[..<range.lowerBound]), String(identity[range.upperBound...])]
    }
}
