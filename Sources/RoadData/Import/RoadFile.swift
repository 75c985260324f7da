import Roads

/// Opens files of roads.
public enum RoadFile {
    /// The roads in a file, once all its checksums were found right. Blocks on the disk: not for the engine's thread.
    public static func open(path: String) throws(ImportProblem) -> RoadMap {
        let file = try MappedFile(path: path, content: .roads)
        return try ImportProblem.ofData(path) { () throws(DataFile.Fault) in try RoadMap(file) }
    }
}
