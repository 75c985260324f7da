/// The actions that an explanation can name.
package enum Action: String, CaseIterable, Sendable {
    /// Nothing: the quantity is as good as the installation allows.
    case none
    /// The daemon has no receiver, or no data of it.
    case connectReceiver
    /// The receiver has no fix, or had none for a time.
    case freeSky
    /// The receiver is jammed or spoofed.
    case removeInterference
    /// The receiver repeats a position.
    case restartReceiver
    /// Positions are reflected, or less accurate than stated.
    case placeAntenna
    /// Too few fixes.
    case fasterReceiver
    /// Fixes arrive late.
    case fasterLink
    /// The receiver states no velocity, or no accuracy.
    case stateVelocity
    case stateAccuracy
    /// The position's place is not that of the IMU.
    case configureAntenna
    /// The daemon has no IMU, or no data of it.
    case connectIMU
    /// A reading repeats itself.
    case checkIMU
    /// A reading is at the end of its range.
    case largerRange
    /// The gyro is noisy, or vibrates.
    case quieterIMU
    /// The mount in the settings is wrong.
    case correctMount
    /// Mount, bias or heading need motion to be found.
    case driveOn
    /// The profile does not fit the motion.
    case changeProfile
    /// The wheels contradict the receiver.
    case checkWheels
    /// There is no route; the vehicle is away from it, or goes the wrong way.
    case loadRoute
    case returnToRoute
    /// There is no road file, the road has no limit in it, or the limit depends on something that is not set.
    case importRoads
    case mapLimit
    case setConditions

    /// One sentence that tells a user what to do.
    package var text: String {
        switch self {
        case .none: "nothing: it is as good as these sensors allow"
        case .connectReceiver: "connect a receiver and start gpsd; posectl doctor tells what is wrong"
        case .freeSky: "give the antenna a free view of the sky; wheel speeds bridge tunnels (docs/can.md)"
        case .removeInterference: "move the antenna away from radios and cables, or leave the place that is jammed"
        case .restartReceiver: "restart the receiver: it repeats one position"
        case .placeAntenna: "move the antenna to the roof, away from walls and metal"
        case .fasterReceiver: "set the receiver to 5 fixes per second or more"
        case .fasterLink: "let the fixes arrive sooner: a higher baud rate, fewer messages, less load"
        case .stateVelocity: "let the receiver send speed and course (RMC or VTG)"
        case .stateAccuracy: "let the receiver send its error estimates (GST)"
        case .configureAntenna: "measure the antenna's place from the IMU and set fusion.antenna_lever_arm_m"
        case .connectIMU: "connect a gyro and accelerometer; posectl doctor tells what is wrong"
        case .checkIMU: "check the IMU's cable and driver: it repeats a reading"
        case .largerRange: "choose a larger range of the IMU, or a softer mount"
        case .quieterIMU: "mount the IMU where it vibrates less, or use a gyro with less noise"
        case .correctMount: "correct fusion.sensor_to_body, or leave it out"
        case .driveOn: "drive on, with turns and changes of speed, under an open sky"
        case .changeProfile: "set profile to wearable, or fix the device to the vehicle"
        case .checkWheels: "check the wheel speed: its scale, its delay, its unit"
        case .loadRoute: "load a route: posectl route load FILE"
        case .returnToRoute: "drive back to the route, or request a new one: posectl route to PLACE"
        case .importRoads: "make a road file (posectl roads import) and set roads.file"
        case .mapLimit: "add the limit to OpenStreetMap (maxspeed), and import the roads again"
        case .setConditions: "set roads.vehicle, roads.trailer, roads.weight_t and roads.surface"
        }
    }
}
