import Measurements
import SensorInterface

/// Finds a source whose thread does not come back from libiio: its status says that data flow, and stays the same.
struct StallWatch {
    /// Time between two checks, seconds.
    static let checkSeconds = 0.1

    private let leastSeconds: Double
    private var latest: [SensorKind: (status: RemoteStatus, checks: Int)] = [:]

    /// A watch of sources with these settings.
    init(_ settings: IIOSettings) {
        let lowestRate = IIORoles.each.map { settings.sensor($0).rateHertz }.min() ?? 1
        leastSeconds = max(5, Self.seconds(atRate: lowestRate)) + settings.contextTimeoutSeconds
    }

    /// A thread that is alive tells new counts each second, or after five measurements that are missing that its data
    /// are stale.
    private static func seconds(atRate hertz: Double?) -> Double { hertz.map { 20 / max($0, 0.001) } ?? 0 }

    /// Takes the statuses of all sources; whether one has stalled. Checks are counted, not time: a process that is
    /// stopped has not stalled.
    mutating func hasStalled(_ statuses: [RemoteStatus]) -> Bool {
        var isStalled = false
        for status in statuses {
            let known = latest[status.kind]
            let checks = known?.status == status ? (known?.checks ?? 0) + 1 : 0
            latest[status.kind] = (status, checks)
            let limit = max(leastSeconds, Self.seconds(atRate: status.rateHertz))
            isStalled = isStalled || status.state == .streaming && Double(checks) > limit / Self.checkSeconds
        }
        return isStalled
    }
}
