import FlyingFox

import struct Foundation.Data

/// Answers the requests of browsers: the page's files, the WebSocket, tiles of roads, recordings.
struct RequestRouter: HTTPHandler {
    let files: PageFiles
    let access: AccessControl
    let viewers: WebSocketHTTPHandler
    let roads: RoadTiles
    let recordings: RecordingLibrary
    let log: RareLog

    func handleRequest(_ request: HTTPRequest) async throws -> HTTPResponse {
        guard request.method == .GET || request.method == .HEAD else {
            return Responses.text("\(request.method.rawValue) is not served; use GET", status: .methodNotAllowed)
        }
        let response = await decide(about: request)
        return request.method == .HEAD ? Responses.head(of: response) : response
    }

    private func decide(about request: HTTPRequest) async -> HTTPResponse {
        switch access.decide(request) {
        case .allowed: return await respond(to: request)
        case .welcome: return welcome(request)
        case .tokenNeeded where Responses.filesOfForm.contains(request.path): return await respond(to: request)
        case .tokenNeeded: return Responses.html(Responses.tokenForm, status: .unauthorized)
        case .foreign(let name):
            log.notice("foreign", "refused a request for the host or from the site '\(name.prefix(80))'")
            let remedy = "if this is a name of this server, start posed-web with --host NAME"
            return Responses.text("'\(name.prefix(80))' is not this server; \(remedy)", status: .forbidden)
        }
    }

    /// Keeps the token as a cookie, and removes it from the address.
    private func welcome(_ request: HTTPRequest) -> HTTPResponse {
        var headers = Responses.common
        let rules = "Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000"
        headers[.setCookie] = "\(AccessControl.cookie)=\(access.token ?? ""); \(rules)"
        headers[.location] = request.path
        return HTTPResponse(statusCode: .seeOther, headers: headers)
    }

    private func respond(to request: HTTPRequest) async -> HTTPResponse {
        let path = request.path
        if path == "/ws" {
            if let response = try? await viewers.handleRequest(request), case .webSocket = response.payload {
                return response
            }
            return Responses.text("/ws is a WebSocket; open the page instead", status: .badRequest)
        }
        if let file = files.files[path] { return Responses.file(file, for: request) }
        let parts = path.split(separator: "/").map(String.init)
        switch parts.first {
        case "roads" where parts.count == 4: return tile(parts)
        case "recordings" where parts.count == 1: return Responses.json(recordings.list)
        case "recordings" where parts.count == 2: return await answer(try await recordings.summary(of: parts[1]))
        case "recordings" where parts.count == 3 && parts[2] == "frames": return await frames(parts[1], request)
        default: return Responses.text("\(path.prefix(80)): does not exist; the page is at /", status: .notFound)
        }
    }

    private func tile(_ parts: [String]) -> HTTPResponse {
        guard let zoom = Int(parts[1]), let x = Int(parts[2]), let y = Int(parts[3]),
            let tile = MapTile(zoom: zoom, x: x, y: y)
        else { return Responses.text("is no tile; use /roads/ZOOM/X/Y with zoom 10, 12 or 14", status: .notFound) }
        return Responses.json(roads.json(of: tile), seconds: 600)
    }

    private func frames(_ name: String, _ request: HTTPRequest) async -> HTTPResponse {
        func seconds(_ name: String) -> Double? {
            request.query.first { $0.name == name }.flatMap { Double($0.value) }.flatMap { $0.isFinite ? $0 : nil }
        }
        guard let from = seconds("from"), let to = seconds("to"), to > from else {
            return Responses.text(
                "give from and to in seconds from the start, such as ?from=0&to=10", status: .badRequest)
        }
        return await answer(try await recordings.frames(of: name, from: from, to: to))
    }

    private func answer(_ data: @autoclosure () async throws -> Data) async -> HTTPResponse {
        do {
            return Responses.json(try await data())
        } catch {
            return Responses.text("\(error)", status: .notFound)
        }
    }
}
