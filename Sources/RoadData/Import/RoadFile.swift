import Roads

/// Opens files of roads.
public enum RoadFile {
    /// The roads in a file, once all its checksums were found right. Blocks on the disk: not for the engine's thread.
    public static func open(path: String) throws(ImportProblem) -> RoadMap {
        let file = try MappedFile(path: path, content: .roads)
        do throws(DataFile.Fault) {
            return try RoadMap(file)
        } catch {
            throw ImportProblem(fault: error, path: path)
        }
    }
}
