import PoseMath
import RoadData
import Roads
import Scene

/// What is around the vehicle: roads, points of interest, heights, and how the scene is made of them.
package struct HorizonSettings: Sendable, Equatable {
    /// The file of roads; `nil`: none.
    package var roadFile: String?
    /// The file of points of interest; `nil`: none.
    package var pointFile: String?
    /// Points of interest within this distance, metres.
    package var pointRadiusMeters = 1500.0
    /// Points of interest at most.
    package var pointCount = 100
    /// The folder with tiles of heights; `nil`: none.
    package var elevationFolder: String?
    /// A target is near from this distance on, metres.
    package var targetNearMeters = 15.0
    /// The road ahead.
    package var guide = RoadGuideSettings()
    /// The scene; its display is made of the next.
    package var scene = SceneSettings()
    /// Whether there is a display profile.
    package var hasDisplay = false
    /// The display profile, if there is one.
    package var display = DisplayProfile()
    /// How it sits in the body; `nil`: looking forward.
    package var displayToBody: Quaternion?

    /// The defaults.
    package init() {}

    /// The scene's settings with the display in them.
    package var sceneWithDisplay: SceneSettings {
        var settings = scene
        settings.display = hasDisplay ? display : nil
        if let displayToBody { settings.display?.displayToBody = displayToBody }
        return settings
    }
}
