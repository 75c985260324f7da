/// Every tuned number of the estimators: gates, sigmas, time constants, thresholds, capacities.
///
/// Each constant has a sentence with its unit, its source, and the test suites that cover the code that uses it. A
/// constant without a unit has the unit 1. Source "own" means that the value was chosen here and that no data sheet or
/// paper gives it; an equation in parentheses is the one of docs/math.md in which it stands.
///
/// | file | subject |
/// |---|---|
/// | `Tuning+GNSS` | noise and gates of the receiver, position filter, jumps |
/// | `Tuning+Vehicle` | wheel speed, constraints of a vehicle, detector of rest |
/// | `Tuning+Pedestrian` | gait of a person |
/// | `Tuning+Barometer` | barometer |
/// | `Tuning+Alignment` | initial heading, first sigmas, mount |
/// | `Tuning+Attitude` | attitude filter, magnetometer, the Earth's field |
/// | `Tuning+Heading` | a receiver that measures the heading, the magnetic heading in a boat |
/// | `Tuning+SensorPrior` | what an earlier drive has found of the sensors |
/// | `Tuning+IMU` | noise of the samples, repeated readings, gaps |
/// | `Tuning+Integrity` | fault detection of receiver and IMU |
/// | `Tuning+Estimator` | delayed measurements, input ranges, published output, smoother |
///
/// Not here: the constant initial sigmas, random walks and ranges of the states, which stand in the state table
/// (`StateTable.swift`; initial sigmas that depend on the start are in ``Start`` and ``Antenna``), and what a user may
/// set (`FusionSettings`). Constants of mathematics and physics stand where they are used. A test fails where a type of
/// this target declares a number of its own.
enum Tuning {}
