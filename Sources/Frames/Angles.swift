let degreesPerRadian = 180 / Double.pi
let radiansPerDegree = Double.pi / 180
private let turnsPerRadian = 0.5 / Double.pi

/// Converts a bearing of less than 1e6 rad into degrees in [0, 360).
@inline(__always)
func bearingDegrees(_ radians: Double) -> Double {
    let turns = radians * turnsPerRadian
    // Fast path: most bearings are in range already.
    if turns >= 0 && turns < 0.999_999_9 { return turns * 360 }
    // The conversion truncates towards zero: a floor without a function call.
    var part = turns - Double(Int64(turns))
    if part < 0 { part += 1 }
    let degrees = part * 360
    return degrees < 360 ? degrees : 0
}

/// Converts a bearing into degrees in [0, 360), also after rounding to `decimals`; `nil` if it is unknown or 1e6 rad
/// and more.
@inline(__always)
func bearingDegrees(_ radians: Double?, decimals: Int) -> Double? {
    guard let radians, abs(radians) < 1e6 else { return nil }
    let degrees = bearingDegrees(radians)
    return degrees < 360 - 0.5 / Double(JSONCursor.powerOfTen(decimals)) ? degrees : 0
}
