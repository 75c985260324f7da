import BoundedJSON
import RoadData
import Sensors

/// Asks a routing server for a route. Blocks for as long as the time limit says: for a thread of its own.
struct RoutingClient: Sendable {
    /// The server.
    var server: RoutingServer
    /// Longest wait for the whole answer, seconds.
    var limitSeconds: Double

    /// The route of a query.
    func route(_ query: RoutingQuery, stop: StopSignal) throws(CommandProblem) -> RouteReading {
        let maximum = JSONLimits.routeFile.maximumBytes
        let exchange = HTTPExchange(
            host: server.host, port: server.port, limitSeconds: limitSeconds, maximumBytes: maximum)
        let response: HTTPResponse
        do throws(HTTPExchange.Failure) {
            response = try exchange.perform(server.request(query, agent: "posed/\(Release.version)"), stop: stop)
        } catch {
            throw CommandProblem(
                what: error.explanation, place: server.name, remedy: "check routing.server, and that the server runs")
        }
        do throws(RouteDataProblem) {
            return try RoutingAnswer.route(status: response.status, body: response.body)
        } catch {
            throw CommandProblem(error, file: server.name)
        }
    }
}
