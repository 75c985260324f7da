import RoadData
import Testing

@testable import Routing

/// What holds where nobody has set anything of the routing server.
@Suite struct RoutingSettingsTests {
    @Test func aDepartureIsFollowedByANewRouteUnlessThatIsTurnedOff() {
        // GIVEN settings that nobody has changed THEN they are those that the page of the settings tells
        let settings = RoutingSettings()
        #expect(settings.reroutes && settings.timeoutSeconds == 5 && settings.kind == .valhalla)
        // AND without an address there is no server to ask
        #expect(settings.address == nil && settings.server == nil)
        #expect(settings.proxy == nil && settings.authorityFile == nil && settings.programPath == nil)
    }
}
