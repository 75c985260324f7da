import PoseMath
import RoadData
import Roads
import Scene

/// Settings of the electronic horizon: roads, points of interest, elevation and scene.
package struct HorizonSettings: Sendable, Equatable {
    /// Path of the road file; `nil` for none.
    package var roadFile: String?
    /// Path of the file of points of interest; `nil` for none.
    package var pointFile: String?
    /// Points of interest within this distance are shown, metres.
    package var pointRadiusMeters = 1500.0
    /// Maximum number of shown points of interest.
    package var pointCount = 100
    /// Folder of elevation tiles; `nil` for none.
    package var elevationFolder: String?
    /// Distance at which a target counts as near, metres.
    package var targetNearMeters = 15.0
    /// Settings of the road ahead.
    package var guide = RoadGuideSettings()
    /// The vehicle, for conditional limits.
    package var vehicle = VehicleProfile()
    /// Local time minus UTC, such as `+01:00`; `nil`: that of the system.
    package var timeZone: String?
    /// Settings of the scene; its display is set from ``display``.
    package var scene = SceneSettings()
    /// Whether there is a display profile.
    package var hasDisplay = false
    /// The display profile; used only if ``hasDisplay`` is set.
    package var display = DisplayProfile()
    /// Rotation from display to body; `nil`: the display looks forward.
    package var displayToBody: Quaternion?

    /// The defaults.
    package init() {}

    /// The scene settings including the display profile.
    package var sceneWithDisplay: SceneSettings {
        var settings = scene
        settings.display = hasDisplay ? display : nil
        if let displayToBody { settings.display?.displayToBody = displayToBody }
        return settings
    }
}
