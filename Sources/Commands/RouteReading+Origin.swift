import BoundedJSON
import Platform
import RoadData
import Routing

extension RouteOrigin {
    /// Reads the route; waits for the disk or a server. `id` becomes that of a long line.
    func read(id: inout String?, stop: StopSignal) throws(CommandProblem) -> RouteReading {
        switch self {
        case .server(let client, let query):
            do throws(RoutingProblem) {
                return try client.route(query, stop: stop)
            } catch {
                throw CommandProblem(error)
            }
        case .file(let path):
            do throws(RouteDataProblem) {
                return try RouteFile.read(path: path)
            } catch {
                throw CommandProblem(error, file: path)
            }
        case .text(let bytes, let name):
            do throws(RouteDataProblem) {
                return try RouteReader.read(bytes: bytes)
            } catch {
                throw CommandProblem(error, file: name)
            }
        case .value(let value):
            do throws(JSONProblem) {
                return try RouteReader.read(value)
            } catch {
                throw CommandProblem(error)
            }
        case .line(let bytes): return try Self.origin(inLine: bytes, id: &id).read(id: &id, stop: stop)
        }
    }

    /// The route in a command that was too long for the socket thread to parse.
    private static func origin(inLine line: [UInt8], id: inout String?) throws(CommandProblem) -> RouteOrigin {
        let request: CommandRequest
        do throws(CommandRequest.Refusal) {
            request = try CommandRequest(line: line)
        } catch {
            id = error.id
            throw error.problem
        }
        id = request.id
        guard case .route(.read(let origin)) = request.work else {
            throw CommandProblem(
                what: "only route_load may be a long line", place: "cmd",
                remedy: "write the command without what it does not need")
        }
        return origin
    }
}

extension CommandProblem {
    /// A problem of a route's file.
    init(_ problem: RouteDataProblem, file: String) { self.init(RoutingProblem(problem, file: file)) }

    /// A problem of a route.
    init(_ problem: RoutingProblem) { self.init(what: problem.what, place: problem.place, remedy: problem.remedy) }
}
