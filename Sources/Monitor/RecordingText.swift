import BoundedJSON

/// What the recorder does, as text.
package struct RecordingText: Sendable, Equatable {
    /// What the recorder does, by its wire name.
    package var state: String
    /// The file that is being written; `nil` for none.
    package var file: String?
    /// The lines of the text, without line ends.
    package var lines: [String]

    /// Reads the line of a reply to `record`; `nil` if it is none.
    package init?(reply line: String) {
        guard let root = (try? JSONDocument(bytes: Array(line.utf8)))?.root, let recording = root["recording"] else {
            return nil
        }
        self.init(recording)
    }

    /// Reads the object `recording` of a reply.
    init?(_ json: JSONValue) {
        guard let state = json["state"]?.string else { return nil }
        self.state = state
        file = json["file"]?.string
        let privacy = json["private"]?.bool == true ? ", positions at a random place" : ""
        let file = json["file"]?.string ?? json["folder"]?.string ?? ""
        switch state {
        case "recording":
            let mebibytes = Reading.number(Double(json["bytes"]?.int ?? 0) / 1_048_576, 1)
            lines = ["recording for \(Reading.span(json["seconds"]?.double)) to \(file) (\(mebibytes) MiB)\(privacy)"]
            // A daemon of an earlier release does not tell. Moved positions give other digits.
            if let isFromStart = json["from_start"]?.bool, privacy.isEmpty {
                lines.append("  " + Self.replayNote(isFromStart, json["has_reset"]?.bool ?? false))
            }
        case "waiting":
            let kept = json["from_start"]?.bool == true ? "everything since the start" : "the last minute"
            lines = ["waiting for something to record; \(kept) is kept in \(file)\(privacy)"]
        case "failed": lines = ["not recording"]
        default: lines = ["off"]
        }
        if let problem = json["problem"]?.string { lines.append("  \(problem)") }
        let (lost, chunks) = (json["lost"]?.int ?? 0, json["lost_chunks"]?.int ?? 0)
        if lost > 0 || chunks > 0 {
            lines.append("  lost: \(lost) inputs or frames (queue full), \(chunks) times the disk was too slow")
        }
    }

    /// What a replay of the recording will give.
    private static func replayNote(_ isFromStart: Bool, _ hasReset: Bool) -> String {
        if isFromStart { return "it has everything since posed started: its replay gives the same frames" }
        return hasReset
            ? "it begins in mid-run: its replay gives the same frames from the first reset in it on"
            : "it begins in mid-run: its replay gives the same frames from the next reset on (posectl reset)"
    }

    /// What is told when this recording was stopped; `nil` where nothing is recorded.
    package var ended: String? {
        guard state == "recording", let file else { return nil }
        return "recorded to \(file)" + (file.hasSuffix("-000.mcap") ? "" : " and the parts before it")
    }
}
