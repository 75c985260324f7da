import BoundedJSON
import RoadData
import Testing

/// A suite that reads routes from texts.
protocol RouteTexts {}

extension RouteTexts {
    /// The route of a text.
    func read(_ text: String) throws(RouteDataProblem) -> RouteReading { try RouteReader.read(bytes: Array(text.utf8)) }

    /// Why a text is not a valid route; `nil` if it is one.
    func problem(_ text: String, limits: JSONLimits = .routeFile) -> RouteDataProblem? {
        do throws(RouteDataProblem) {
            _ = try RouteReader.read(bytes: Array(text.utf8), limits: limits)
            return nil
        } catch {
            return error
        }
    }

    /// GIVEN a valid text with bytes changed at random, 20,000 times WHEN read THEN each is a route or is refused with
    /// a reason, and some are still routes.
    func expectNoiseIsHarmless(_ text: String, seed: UInt64) {
        var state = seed
        func random(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(bound))
        }
        let good = Array(text.utf8)
        var read = 0
        for _ in 0..<20_000 {
            var bytes = good
            for _ in 0...random(3) {
                bytes[random(bytes.count)] = random(4) == 0 ? UInt8(random(256)) : good[random(good.count)]
            }
            do throws(RouteDataProblem) {
                read += try RouteReader.read(bytes: bytes).route.lengthMeters > 0 ? 1 : 0
            } catch {
                #expect(!error.reason.isEmpty && !error.remedy.isEmpty)
            }
        }
        #expect(read > 100)
    }
}
