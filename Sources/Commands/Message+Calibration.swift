import Frames
import Fusion
import PoseMath

extension Message.Mount {
    /// The mount in the form of the message.
    package init(_ mount: MountEstimate) {
        let (q, sigma) = (mount.sensorToBody.canonical, mount.sigmaBodyRadians)
        let origin: Message.MountOrigin =
            switch mount.origin {
            case .configured: .configured
            case .kept: .kept
            case .found: .found
            }
        self.init(
            sensorToBody: .init(q.w, q.x, q.y, q.z), sigmaRadians: .init(sigma.x, sigma.y, sigma.z), origin: origin)
    }
}

extension Message.Magnetometer {
    /// The magnetometer calibration in the form of the message.
    package init(_ found: MagnetometerStatus) {
        self.init()
        state =
            switch found.state {
            case .collecting: .collecting
            case .calibrated: .calibrated
            case .disturbed: .disturbed
            case .implausible: .implausible
            }
        ironTesla = .init(found.ironTesla.x, found.ironTesla.y, found.ironTesla.z)
        let soft = found.softIron
        softIron.x = .init(soft.x.x, soft.x.y, soft.x.z)
        softIron.y = .init(soft.y.x, soft.y.y, soft.y.z)
        softIron.z = .init(soft.z.x, soft.z.y, soft.z.z)
        fieldTesla = found.fieldTesla
        dipRadians = found.dipRadians
        headingSigmaRadians = found.headingSigmaRadians
    }
}
