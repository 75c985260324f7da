import FlyingFox
import FlyingSocks
import Frames
import Glibc
import Logging
import Platform

import struct Foundation.Data

/// The web server: one page with WebSocket, tiles of roads and recordings. It reads the daemon as any client does, and
/// nothing in it can delay the daemon.
package final class WebServer: Sendable {
    private let settings: WebSettings
    private let log: Logger
    private let hub: ViewerHub
    private let link: DaemonLink
    private let roads: RoadTiles
    private let recordings: RecordingLibrary
    private let pool: ConnectionPool
    private let server: HTTPServer

    /// Reads the page's files and the road file of the settings; throws if one cannot be read, or if the settings
    /// contradict each other.
    package init(_ settings: WebSettings, log: Logger) throws(WebProblem) {
        let address = try Self.address(settings)
        guard settings.isLoopback || settings.token != nil else {
            throw WebProblem(
                "--listen \(settings.address): everyone in the network could see where you are; give --token-file too")
        }
        let folder = settings.pageFolder ?? PageFiles.folder(program: ProgramFile.path)
        let files = try PageFiles(folder: folder)
        let news = News()
        let roads = RoadTiles { news.report() }
        roads.use(path: settings.roadFile)
        if let problem = roads.status.problem { throw WebProblem(problem) }
        let hub = ViewerHub(limit: settings.viewerLimit)
        let rare = RareLog(log)
        let link = DaemonLink(socketPath: settings.socketPath, hub: hub, log: log) { news.report() }
        let recordings = RecordingLibrary(folder: settings.recordingFolder)
        (self.settings, self.log, self.hub, self.link) = (settings, log, hub, link)
        (self.roads, self.recordings) = (roads, recordings)
        let limits = ConnectionPool.Limits(connections: settings.connectionLimit)
        let pool = ConnectionPool(limits: limits) { Self.report($0, limits, rare) }
        self.pool = pool
        let requests = PageRequests(link: link, allowsControl: settings.allowsControl)
        let viewer = ViewerHandler(
            hub: hub, perform: { requests.perform($0, from: $1, $2) }, log: rare)
        let router = RequestRouter(
            files: files, access: AccessControl(token: settings.token, hostNames: settings.hostNames),
            viewers: WebSocketHTTPHandler(handler: viewer),
            roads: roads, recordings: recordings, log: rare)
        server = Self.server(address, pool, router)
        news.use { [weak self] in self?.publishState() }
    }

    private static func address(_ settings: WebSettings) throws(WebProblem) -> any SocketAddress {
        let text = settings.address
        if let problem = WebSettings.problem(ofAddress: text) { throw WebProblem(problem) }
        do {
            return text.contains(":")
                ? try sockaddr_in6.inet6(ip6: text, port: settings.port) as any SocketAddress
                : try sockaddr_in.inet(ip4: text, port: settings.port)
        } catch {
            throw WebProblem("--listen \(text): \(error)")
        }
    }

    private static func server(
        _ address: some SocketAddress, _ pool: ConnectionPool, _ router: RequestRouter
    ) -> HTTPServer {
        HTTPServer(config: .init(address: address, pool: pool, logger: .disabled), handler: router)
    }

    /// Serves until the task is cancelled. `onReady` gets the address of the page.
    package func run(onReady: @escaping @Sendable (String) -> Void) async throws {
        Self.raiseDescriptorLimit()
        publishState()
        guard link.start() else { throw WebProblem("cannot start a thread: the system is out of resources") }
        defer { link.stop() }
        let server = server
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                do { try await server.run() } catch { throw self.problem(of: error) }
            }
            group.addTask {
                while await server.listeningAddress == nil { try await Task.sleep(for: .milliseconds(5)) }
                onReady(await self.pageAddress)
                try await Task.sleep(for: .seconds(Int64.max / 4_000_000_000))
            }
            try await group.next()
            group.cancelAll()
        }
    }

    private var pageAddress: String {
        get async {
            let (host, port): (String, UInt16) =
                switch await server.listeningAddress {
                case .ip4(let address, let port): (address, port)
                case .ip6(let address, let port): ("[\(address)]", port)
                default: (settings.address, settings.port)
                }
            return "http://\(host):\(port)/"
        }
    }

    private func problem(of error: any Error) -> any Error {
        guard case .failed(let type, let code, _)? = error as? SocketError else { return error }
        let place = "\(settings.address), port \(settings.port)"
        let reason = String(cString: strerror(code))
        let remedy =
            switch code {
            case EADDRINUSE: "another program uses it: choose another one with --port"
            case EACCES: "choose a port above 1023 with --port"
            case EADDRNOTAVAIL: "this machine does not have the address: choose another one with --listen"
            default: "see docs/web.md"
            }
        return WebProblem("\(place): \(type.lowercased()) failed (\(reason)); \(remedy)")
    }

    /// Tells the pages about this server and its connection to the daemon.
    private func publishState() {
        let places = link.places
        roads.use(path: settings.roadFile ?? places.roadFile)
        if settings.recordingFolder == nil, let folder = places.recordingFolder { recordings.use(folder: folder) }
        let (roadPath, roadProblem) = roads.status
        var writer = JSONWriter(capacity: 512)
        writer.string(#"{"type":"server","release":"#, Release.version)
        writer.boolean(#","control":"#, settings.allowsControl)
        writer.string(#","socket":"#, settings.socketPath)
        writer.string(#","problem":"#, link.problem)
        writer.string(#","roads":{"file":"#, roadPath)
        writer.string(#","version":"#, roads.version)
        writer.string(#","problem":"#, roadProblem)
        writer.literal("}}")
        hub.publish(writer.data, .server)
    }

    private static func report(_ reason: ConnectionPool.Reason, _ limits: ConnectionPool.Limits, _ log: RareLog) {
        switch reason {
        case .tooMany:
            log.notice(
                "connections", "refused a connection: \(limits.connections) are open; close pages, or raise --viewers")
        case .tooLong:
            log.notice(
                "length",
                "closed a connection: it sent a request of more than \(limits.requestBytes) bytes; no page does")
        case .tooMuch:
            log.notice("bytes", "closed a connection: it sent more than \(Int(limits.bytes)) bytes; no page does")
        // A browser that was closed, or that sleeps.
        case .silent, .blocked: break
        }
    }

    /// Every connection needs a descriptor; the usual limit of 1024 is too low for the limits of the connections.
    private static func raiseDescriptorLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = min(limit.rlim_max, 8192)
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
