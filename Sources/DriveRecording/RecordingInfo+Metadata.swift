extension RecordingInfo {
    /// The facts as named texts.
    var values: [String: String] {
        var values = [
            "format": String(DriveRecordingWriter.formatVersion), "release": release, "session": session,
            "part": String(part), "clock_offset_ns": String(clockOffsetNanoseconds),
            "starts_with_engine": String(startsWithEngine), "has_publications": String(hasPublications),
            "is_private": String(isPrivate), "published_before": String(publishedBefore),
        ]
        if let convertedFrom { values["converted_from"] = convertedFrom }
        return values
    }

    /// Reads the facts from named texts. Missing texts give the defaults.
    init(values: [String: String]) throws(LayoutFault) {
        let format = values["format"].flatMap { Int($0) } ?? 0
        guard format >= 1 else { throw LayoutFault(problem: "the recording does not state its format") }
        guard format <= DriveRecordingWriter.formatVersion else {
            throw LayoutFault(
                problem: "the recording has format \(format), this release reads up to "
                    + "\(DriveRecordingWriter.formatVersion)",
                remedy: "read it with release \(values["release"].map(Self.plain) ?? "newer") or a later one")
        }
        self.init(release: Self.plain(values["release"] ?? "unknown"), session: values["session"] ?? "")
        part = values["part"].flatMap { Int($0) } ?? 0
        clockOffsetNanoseconds = values["clock_offset_ns"].flatMap { Int64($0) } ?? 0
        startsWithEngine = values["starts_with_engine"] == "true"
        hasPublications = values["has_publications"] == "true"
        isPrivate = values["is_private"] == "true"
        publishedBefore = values["published_before"].flatMap { UInt64($0) } ?? 0
        convertedFrom = values["converted_from"].map(Self.plain)
    }

    /// A text of a file as it may be shown on a terminal: short, and without control characters.
    private static func plain(_ text: String) -> String {
        String(text.unicodeScalars.prefix(64).filter { (32..<127).contains($0.value) }.map(Character.init))
    }
}
