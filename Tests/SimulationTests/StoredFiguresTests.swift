import Geodesy
import Measurements
import PoseMath
import Testing

@testable import Simulation

/// The numbers of some drives, walks and voyages: a seed that was written down gives the same measurements in every
/// release, so that accuracy figures of two releases can be compared.
@Suite struct StoredFiguresTests {
    /// Compares one figure per column with the stored ones. Tolerance: a millionth of the column's size, more than the
    /// mathematical functions of two processors differ and less than any error that is simulated.
    private func compare(
        _ columns: [[Double]], _ stored: [Double], _ name: String, location: SourceLocation = #_sourceLocation
    ) {
        let figures = columns.map(Columns.figure)
        #expect(figures.count == stored.count, "\(name): \(figures)", sourceLocation: location)
        for (index, (figure, expected)) in zip(figures, stored).enumerated() {
            let size = Columns.size(columns[index])
            #expect(
                abs(figure - expected) <= 1e-6 * max(size, 1e-9), "\(name), column \(index): \(figures)",
                sourceLocation: location)
        }
    }

    /// Every sensor with every error that it can have.
    private func everything() -> SensorSuite {
        var suite = SensorSuite()
        suite.inertial?.errors = InertialErrors.consumer.withVibration
        suite.inertial?.sensorToBody =
            EulerAngles(rollRadians: 0.1, pitchRadians: -0.2, headingTrueRadians: 2).bodyToENU
        suite.magnetometer = SensorSuite.Magnetometer()
        suite.magnetometer?.hardIronTesla = Vector3(3e-6, -2e-6, 1e-6)
        suite.barometer = SensorSuite.Barometer()
        suite.wheels = SensorSuite.Wheels()
        var receiver = SatelliteReceiver()
        receiver.rateHertz = 4
        (receiver.positionLagSeconds, receiver.velocityLagSeconds) = (0.05, 0.2)
        (receiver.velocitySmoothingSeconds, receiver.climbSmoothingSeconds) = (0.3, 0.5)
        (receiver.velocityLagSpreadSeconds, receiver.climbLagSpreadSeconds) = (0.02, 0.03)
        receiver.leverArmBodyMeters = Vector3(-1, 0.5, 1.2)
        receiver.multipathEpisodesPerMinute = 6
        receiver.outages = [30...40]
        receiver.statedSigmaScale = 0.8
        suite.satellite = receiver
        return suite
    }

    @Test func aDriveWithEverySensorHasTheStoredNumbers() throws {
        // GIVEN a drive through a town with hills and a stop, and a suite of sensors with all their errors
        let drive = try Drive(townPlan())
        let simulated = SimulatedDrive(drive: drive, sensors: everything(), seed: 7)
        // THEN its truth and the measurements of each sensor are the stored ones
        compare(Columns.truth(drive, seconds: drive.durationSeconds), Stored.townTruth, "truth")
        compare(Columns.events(simulated, around: drive.localFrame), Stored.townEvents, "events")
    }

    @Test(arguments: [1, 2, 3, 4])
    func aRandomDriveHasTheStoredNumbers(seed: Int) throws {
        // GIVEN a drive and sensors that a seed chooses
        let plan = DrivePlan.random(seed: UInt64(seed), edges: 10)
        let suite = SensorSuite.random(seed: UInt64(seed))
        let drive = try Drive(plan)
        // THEN the plan and the measurements of its first minute are the stored ones
        let stored = try #require(Stored.random[seed])
        let simulated = SimulatedDrive(drive: drive, sensors: suite, seed: UInt64(seed))
        let minute = simulated.lazy.prefix { $0.arrivalTime.seconds < 60 }
        compare(
            Columns.plan(plan) + Columns.events(minute, around: drive.localFrame), stored, "seed \(seed)")
    }

    @Test(arguments: [0.0, 0.5])
    func aWalkHasTheStoredNumbers(swing: Double) {
        // GIVEN a walk with a held or a swinging arm
        var plan = WalkPlan()
        plan.armSwingRadians = swing
        plan.durationSeconds = 40
        let walk = Walk(plan)
        // THEN its truth is the stored one
        compare(
            Columns.truth(walk, seconds: plan.durationSeconds), swing == 0 ? Stored.walk : Stored.swinging,
            "swing \(swing)")
    }

    @Test func aVoyageHasTheStoredNumbers() {
        // GIVEN a voyage in waves, with a turn that changes the speed
        var plan = VoyagePlan()
        plan.durationSeconds = 60
        plan.headingRadians = 1
        plan.manoeuvres = [VoyagePlan.Manoeuvre(begin: 22, seconds: 6, turnRadians: 0.5, speedChange: 1)]
        // THEN its truth is the stored one
        compare(Columns.truth(Voyage(plan), seconds: plan.durationSeconds), Stored.voyage, "voyage")
    }

    @Test func theGradesAreThoseOfTheirDataSheets() {
        // GIVEN the grades of IMUs THEN each of their numbers is the stored one
        let grades: [InertialErrors] = [.perfect, .consumer, .automotive, .tactical, .consumer.withVibration]
        let columns = grades.map { grade in
            [
                grade.gyroNoiseDensity, grade.gyroBias, grade.gyroInstability, grade.gyroScale,
                grade.accelNoiseDensity, grade.accelBias, grade.accelInstability, grade.accelScale,
                grade.misalignmentRadians, grade.instabilitySeconds, grade.engineVibration, grade.roadVibration,
            ]
        }
        // One column for each number, over the grades.
        compare(columns[0].indices.map { index in columns.map { $0[index] } }, Stored.grades, "grades")
    }
}

/// One figure for each column of numbers, in which every number has another weight.
private enum Columns {
    /// The figure of a column.
    static func figure(_ column: [Double]) -> Double {
        guard !column.isEmpty else { return 0 }
        let weighted = column.enumerated().map { (1 + Double($0.offset % 17) / 17) * $0.element }
        return weighted.reduce(0, +) / Double(column.count)
    }

    /// Root mean square of a column.
    static func size(_ column: [Double]) -> Double {
        (column.reduce(0) { $0 + $1 * $1 } / Double(max(column.count, 1))).squareRoot()
    }

    /// The truth each 0.37 s.
    static func truth(_ motion: some MotionTruth, seconds: Double) -> [[Double]] {
        let rows = stride(from: 0, to: seconds, by: 0.37).map { at -> [Double] in
            let truth = motion.truth(atSeconds: at)
            return [truth.distanceMeters, truth.limitMetersPerSecond, truth.position.altitudeEllipsoidMeters]
                + of(truth.positionENUMeters) + of(truth.velocityENUMetersPerSecond)
                + of(truth.accelerationENUMetersPerSecondSquared) + of(truth.bodyToENU.rotate(Vector3(1, 0, 0)))
                + of(truth.bodyToENU.rotate(Vector3(0, 0, 1))) + of(truth.angularRateBodyRadiansPerSecond)
                + of(truth.specificForceBodyMetersPerSecondSquared)
        }
        return transposed(rows)
    }

    /// The measurements of each sensor, with their times.
    static func events(_ events: some Sequence<SensorEvent>, around frame: LocalFrame) -> [[Double]] {
        var rows: [[[Double]]] = [[], [], [], [], []]
        for event in events {
            let times = [event.validityTime.seconds, event.arrivalTime.seconds]
            switch event {
            case .inertial(let sample):
                rows[0].append(
                    times + of(sample.angularRateRadiansPerSecond) + of(sample.specificForceMetersPerSecondSquared))
            case .gnss(let fix): rows[1].append(times + of(fix, frame))
            case .magnetic(let sample): rows[2].append(times + of(sample.fluxDensityTesla))
            case .pressure(let sample): rows[3].append(times + [sample.pressurePascal])
            case .wheelSpeed(let sample): rows[4].append(times + [sample.speedMetersPerSecond])
            }
        }
        return rows.flatMap(transposed)
    }

    /// The numbers of a plan.
    static func plan(_ plan: DrivePlan) -> [[Double]] {
        [
            plan.vertices.map(\.latitudeRadians), plan.vertices.map(\.longitudeRadians),
            plan.vertices.map(\.altitudeEllipsoidMeters), plan.limitsMetersPerSecond,
            plan.stops.flatMap { [Double($0.vertex), $0.durationSeconds] },
            [plan.standingSecondsBefore], [plan.accelerationMetersPerSecondSquared],
            [plan.brakingMetersPerSecondSquared], [plan.lateralMetersPerSecondSquared], [plan.limitFactor],
            [plan.hillHeightMeters], [plan.hillWavelengthMeters],
        ]
    }

    private static func of(_ vector: Vector3) -> [Double] { [vector.x, vector.y, vector.z] }

    private static func of(_ fix: GnssFix, _ frame: LocalFrame) -> [Double] {
        let place = GeodeticPosition(
            latitudeRadians: fix.latitudeRadians ?? 0, longitudeRadians: fix.longitudeRadians ?? 0,
            altitudeEllipsoidMeters: fix.altitudeEllipsoidMeters ?? 0)
        let stated = [
            fix.horizontalSigmaMeters, fix.verticalSigmaMeters, fix.speedSigmaMetersPerSecond,
            fix.climbSigmaMetersPerSecond,
        ]
        return of(frame.enuMeters(of: place)) + stated.map { $0 ?? -1 }
            + [
                fix.horizontalVelocity?.eastMetersPerSecond ?? 0, fix.horizontalVelocity?.northMetersPerSecond ?? 0,
                fix.climbMetersPerSecond ?? 0, Double(fix.quality.rawValue), Double(fix.satellitesUsed ?? 0),
            ]
    }

    private static func transposed(_ rows: [[Double]]) -> [[Double]] {
        (rows.first?.indices).map { $0.map { index in rows.map { $0[index] } } } ?? []
    }
}

/// The stored figures, printed by a failing test.
private enum Stored {
    static let townTruth: [Double] = [
        720.806769, 20.3359793, 707.281606, 309.819569, 96.092718, 4.45903263, 5.03333678,
        -2.88219005, 0.00366600075, 0.0178054366, 0.0125795317, 0.000504055785, 0.546441127,
        -0.280212148, 0.000916654528, 0.00706959007, -0.00667692031, 1.46347161, 0.00108121485,
        0.000323503134, -0.0343934513, 0.0288107511, -0.144655352, 14.3427992,
    ]
    static let townEvents: [Double] = [
        89.869707, 89.869707, -0.00606164164, 0.01716043, -0.0609174355, -2.58280968, 1.1693472,
        14.4418565, 93.0387342, 93.199368, 334.461329, 78.7700511, 12.9964128, 2.95354911,
        5.90709822, 0.11730042, 0.11730042, 4.41553518, -3.33177247, 0.00847393139, 1.46625525,
        17.595063, 89.8388258, 89.8388258, 8.15997723e-06, -1.28214661e-06, -6.43653237e-05,
        89.8482753, 89.8482753, 140620.011, 89.8618236, 89.8618236, 12.2340811,
    ]
    static let random: [Int: [Double]] = [
        1: [
            -1.07775153, 2.41521511, 895.36034, 18.251634, 18.4348566, 33.4656249, 1.66028357,
            3.38050166, 2.48516604, 0.940141281, 2.66610712, 1388.70655, 44.1166186, 44.1166186,
            0.0111739032, -0.0242993262, 0.020243796, -1.64884396, -12.9016695, -5.76366692, 44.2166667,
            44.3283016, -97.3897741, -30.0083885, 0.282735127, 0.0163978318, 0.0327956637, 0.0586666667,
            0.0586666667, -9.00576466, -2.78107575, 0.0393921043, 4.4, 17.6,
        ],
        2: [
            -0.425055796, 3.55080809, 620.161406, 17.369281, 9.95484425, 17.9415974, 2.87181799,
            1.53811718, 2.99767115, 1.06473431, 3.39885043, 1406.50402, 44.1166186, 44.1166186,
            -0.00777329336, 0.000342920869, 0.00177237088, -9.05016949, -7.72957088, 8.12888952,
            44.0086275, 44.1315443, -29.0266716, -279.604807, 4.5780758, 3.69544087, 7.39088174,
            0.146764706, 0.146764706, -1.29428886, -13.0621906, 0.0714349608, 1.46764706, 17.6117647,
        ],
        3: [
            -0.874850731, 1.92081939, 2468.80118, 16.2254902, 7.98188518, 7.41231103, 1.16509479,
            1.37068606, 2.56445534, 1.00267851, 9.61623772, 1437.82403, 44.1166186, 44.1166186,
            0.000436985799, 0.000315711312, -0.0163360865, 1.02332286, 0.530443155, -14.3626921, 42.7,
            42.9179194, -333.835339, -105.443759, 5.31822436, 3.61397824, 7.22795649, 0.143529412,
            0.143529412, -13.4582553, -4.34579599, 0.229970324, 1.43529412, 17.2235294,
        ],
        4: [
            -0.832083656, -3.36712768, 1349.04728, 17.5, 8.2287812, 31.6581199, 2.18858856, 3.24272885,
            2.34723282, 0.837697471, 5.73690086, 675.859342, 44.1166186, 44.1166186, -0.0126109124,
            -0.0140754925, -0.0249662801, 7.32569965, 11.3158774, 4.33053032, 42.7, 43.2493735,
            -69.4773495, 86.9290813, 10.1927, 3.61397824, 7.22795649, 0.143529412, 0.143529412,
            -5.46604121, 7.16870182, 0.117704663, 1.43529412, 17.2235294,
        ],
    ]
    static let walk: [Double] = [
        0, 0, 871.019721, 14.3910828, 17.9265591, -0.000292503937, 0.844321071, 1.08065408,
        0.00703372035, -0.0186410644, 0.0124234186, 0.0456083229, 0.562293514, 1.00533594, 0, 0, 0,
        1.45169995, 4.99973666e-05, 2.79639668e-05, -0.027977806, -0.0214527544, -0.0294327992,
        14.2811204,
    ]
    static let swinging: [Double] = [
        0, 0, 870.193235, 14.1941766, 17.5754047, -0.826777463, 0.862010673, 1.10661614,
        0.0196444047, -0.0136810871, 0.0308814292, 0.131594552, 0.523106041, 0.957601051,
        0.000960427629, 0.000172354625, -0.00118877417, 1.37747493, 0.0011047294, -0.066805707,
        -0.0259956487, -0.00769839374, -0.0446706179, 16.9416658,
    ]
    static let voyage: [Double] = [
        0, 0, 58.315982, 225.258254, 96.1857335, -0.00674051148, 8.18572763, 2.33743305,
        -0.000570565727, 0.0473649096, -0.0590711084, 0.0148096039, 1.36053568, 0.388781235,
        -0.00090279293, 2.0207345e-05, 0.00127599987, 1.45362462, -0.00296440741, -0.000984532646,
        -0.0122574908, 0.0196751947, -0.081125884, 14.2718412,
    ]
    static let grades: [Double] = [
        7.78211514e-05, 0.00926051168, 4.59945591e-05, 0.00308235294, 0.0008433719, 0.154829698,
        0.00103258256, 0.00285882353, 0.00311079273, 335.294118, 0.0741176471, 0.000494117647,
    ]
}
