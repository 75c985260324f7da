import PoseMath
import Scene
import Testing

@testable import Horizon

/// The settings of the horizon that nobody has set, and the display of the scene.
@Suite struct HorizonSettingsTests {
    @Test func theDefaultsAreThoseOfThePageOfTheSettings() {
        let settings = HorizonSettings()
        #expect(settings.roadFile == nil && settings.pointFile == nil && settings.elevationFolder == nil)
        #expect(settings.pointRadiusMeters == 1500 && settings.pointCount == 100 && settings.targetNearMeters == 15)
        #expect(settings.timeZone == nil && !settings.hasDisplay && settings.displayToBody == nil)
    }

    @Test func aSceneHasADisplayOnlyIfThereIsAProfile() {
        // GIVEN no display profile THEN the scene has no display, whatever else is set
        var settings = HorizonSettings()
        settings.display.nearMeters = 3
        settings.displayToBody = Quaternion(w: 0, x: 0, y: 0, z: 1)
        settings.scene.display = DisplayProfile()
        settings.scene.arrowSpacingMeters = 7
        #expect(settings.sceneWithDisplay.display == nil && settings.sceneWithDisplay.arrowSpacingMeters == 7)
        // WHEN there is one THEN it is that of the scene, turned as it is mounted
        settings.hasDisplay = true
        let turned = settings.sceneWithDisplay.display
        #expect(turned?.nearMeters == 3 && turned?.displayToBody == Quaternion(w: 0, x: 0, y: 0, z: 1))
        // AND without a mount it looks forward
        settings.displayToBody = nil
        #expect(settings.sceneWithDisplay.display == settings.display)
        #expect(settings.sceneWithDisplay.display?.displayToBody == .identity)
    }
}
