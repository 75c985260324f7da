import Roads

/// Opens road files.
public enum RoadFile {
    /// Verifies and opens a road file. Blocks on the disk: do not call it on the engine thread.
    public static func open(path: String) throws(ImportProblem) -> RoadMap {
        let file = try MappedFile(path: path, content: .roads)
        return try ImportProblem.ofData(path) { () throws(DataFile.Fault) in try RoadMap(file) }
    }
}
