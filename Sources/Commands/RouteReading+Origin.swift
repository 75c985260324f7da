import BoundedJSON
import Platform
import RoadData
import Routing

extension RouteOrigin {
    /// Reads the route; blocks on disk or network. `id` is set to the `id` of a long line after it was parsed.
    func read(id: inout String?, stop: StopSignal) throws(RequestProblem) -> RouteReading {
        switch self {
        case .server(let client, let query): return try client.route(query, stop: stop)
        case .file(let path):
            do throws(RouteDataProblem) {
                return try RouteFile.read(path: path)
            } catch {
                throw RequestProblem(error, file: path)
            }
        case .text(let bytes, let name):
            do throws(RouteDataProblem) {
                return try RouteReader.read(bytes: bytes)
            } catch {
                throw RequestProblem(error, file: name)
            }
        case .value(let value):
            do throws(JSONProblem) {
                return try RouteReader.read(value)
            } catch {
                throw RequestProblem(error)
            }
        case .line(let bytes): return try Self.origin(inLine: bytes, id: &id).read(id: &id, stop: stop)
        }
    }

    /// The route in a command that was too long for the socket thread.
    private static func origin(inLine line: [UInt8], id: inout String?) throws(RequestProblem) -> RouteOrigin {
        let request: CommandRequest
        do throws(CommandRequest.Refusal) {
            request = try CommandRequest(line: line)
        } catch {
            id = error.id
            throw error.problem
        }
        id = request.id
        guard case .route(.read(let origin)) = request.work else {
            throw RequestProblem(
                what: "only route_load may be a long line", place: "cmd",
                remedy: "shorten the command")
        }
        return origin
    }
}
