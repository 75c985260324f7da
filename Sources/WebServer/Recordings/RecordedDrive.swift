import BoundedJSON
import CSystem
import DriveRecording
import Engine
import Files
import Frames
import Geodesy
import Glibc
import Guidance
import MCAP

import struct Foundation.Data

/// A recording of posed, prepared for playing: the recorded lines in a temporary file without a name, where each of
/// them begins, and the way as a whole for map and timeline.
struct RecordedDrive: Sendable {
    /// A place of the way.
    struct WayPoint: Sendable {
        /// From the start of the recording, seconds.
        var seconds: Double
        var latitudeDegrees: Double
        var longitudeDegrees: Double
        var speed: Double?
        var limit: Double?
        var isPoor: Bool
    }

    /// A route that was followed.
    struct RouteUse: Sendable {
        /// From the start of the recording, seconds.
        var seconds: Double
        /// `nil`: the route was cleared.
        var route: Route?
    }

    /// Path of the recording.
    let path: String
    /// The lines in the order of the file.
    let lines: LineStore
    /// One place per second.
    let way: [WayPoint]
    /// Events and maneuvers as lines, with their time from the start, seconds.
    let events: [(seconds: Double, line: [UInt8])]
    /// The routes in their order.
    let routes: [RouteUse]
    /// UTC of the first frame, seconds since 1970; `nil` if it is unknown.
    let startUTC: Double?
    /// What is incomplete.
    let notes: [String]

    /// Length, seconds.
    var seconds: Double { lines.seconds }
}

/// Reads a recording into a ``RecordedDrive``.
struct RecordedDriveReader {
    /// Most events that are kept: one per second of three hours.
    private static let mostEvents = 10_000

    private let path: String
    private let lines: LineStore
    private var way: [RecordedDrive.WayPoint] = []
    private var events: [(seconds: Double, line: [UInt8])] = []
    private var routes: [RecordedDrive.RouteUse] = []
    private var start: Double?
    private var startUTC: Double?
    private var last = 0.0
    private var notes: [String] = []

    private init(path: String) throws(WebProblem) {
        self.path = path
        lines = try LineStore()
    }

    /// Reads a recording. `onProgress` gets the part that was read, 0 to 1.
    static func read(path: String, onProgress: (Double) -> Void) throws(WebProblem) -> RecordedDrive {
        var reader = try RecordedDriveReader(path: path)
        do throws(MCAPProblem) {
            try reader.readEntries(onProgress)
        } catch {
            guard reader.lines.count > 0 else { throw WebProblem(error.description) }
            reader.notes.append("the rest is unreadable: \(error.description)")
        }
        reader.lines.flush()
        guard reader.lines.count > 0 else {
            throw WebProblem(
                "\(path): has no frames to play; record with recording.frame_rate_hz above 0, or use posectl replay")
        }
        return RecordedDrive(
            path: path, lines: reader.lines, way: reader.way, events: reader.events, routes: reader.routes,
            startUTC: reader.startUTC, notes: reader.notes)
    }

    private mutating func readEntries(_ onProgress: (Double) -> Void) throws(MCAPProblem) {
        var file = try DriveRecordingReader(path: path)
        var count = 0
        while let entry = try file.next() {
            count += 1
            if count % 4096 == 0 { onProgress(Double(file.offset) / Double(max(file.size, 1))) }
            switch entry {
            case .frame(let line, _): takeFrame(Array(line))
            case .event(let line, _): takeEvent(Array(line))
            case .input(.command(.setRoute(let route, _)), _):
                routes.append(.init(seconds: last, route: route))
            default: continue
            }
            guard lines.isOpen else {
                notes.append("only the first \(Int(lines.seconds)) s are played: the temporary file is full")
                return
            }
        }
        if case .cutOff(let offset)? = file.end {
            notes.append("the file was cut off at byte \(offset); everything before is played")
        }
    }

    private mutating func takeFrame(_ line: [UInt8]) {
        // The time is near the start of a frame; the whole line is read once per second only.
        guard let time = Self.number(after: Self.timeKey, in: line.prefix(80)) else { return }
        if start == nil { start = time }
        let seconds = time - (start ?? time)
        guard seconds >= last else { return }
        last = seconds
        lines.append(line, seconds: seconds)
        guard way.last.map({ seconds - $0.seconds >= 0.99 }) ?? true, let root = try? JSONDocument(bytes: line).root
        else { return }
        if startUTC == nil { startUTC = root["utc_s"]?.double.map { $0 - seconds } }
        guard let pose = root["pose"], let latitude = pose["lat_deg"]?.double, let longitude = pose["lon_deg"]?.double
        else { return }
        let state = pose["state"]?.string
        way.append(
            .init(
                seconds: seconds, latitudeDegrees: latitude, longitudeDegrees: longitude,
                speed: root["speed"]?["speed_m_s"]?.double, limit: root["speed"]?["limit_m_s"]?.double,
                isPoor: state == "deadReckoning" || state == "lost"))
    }

    private mutating func takeEvent(_ line: [UInt8]) {
        guard events.count < Self.mostEvents else { return }
        let time = Self.number(after: Self.timeKey, in: line.prefix(80))
        events.append((max(0, time.map { $0 - (start ?? $0) } ?? last), line))
    }

    private static let timeKey = Array(#""t_s":"#.utf8)

    /// The number after a key in a line.
    static func number(after key: [UInt8], in line: ArraySlice<UInt8>) -> Double? {
        var place = line.startIndex
        while place + key.count < line.endIndex {
            guard line[place..<place + key.count].elementsEqual(key) else {
                place += 1
                continue
            }
            let digits = line[(place + key.count)...].prefix { $0 != 0x2C && $0 != 0x7D }
            return Double(String(decoding: digits, as: UTF8.self)).flatMap { $0.isFinite ? $0 : nil }
        }
        return nil
    }
}
