import Glibc

/// A reader of bytes from outside, for the fuzzer and for the replay of the stored inputs.
enum FuzzTarget: String, CaseIterable, Sendable {
    /// A command of a stream client: `CommandRequest`.
    case command
    /// A line of the stream, as a client reads it: `LineDecoder`.
    case line
    /// A packet of the frames socket: `ReceivedMessage`.
    case frames
    /// A settings file: `SettingsReading`, every key, and all keys together.
    case settings
    /// A scenario file: `ScenarioReader`.
    case scenario
    /// A route in any of its forms: `RouteReader`.
    case route
    /// The response of a routing server: `RoutingAnswer`.
    case answer
    /// The records between the daemon and posed-routing: `RoutingRecordReader`.
    case records
    /// Points of interest in a text form: `PointImport`.
    case points
    /// A point file with right checksums: `PointMap` and its search.
    case pointFile = "point-file"
    /// A whole extract of OpenStreetMap: `RoadImport`.
    case extract
    /// Blocks of an extract, compressed and framed correctly: `RoadImport`.
    case blocks
    /// A road file with right checksums: `RoadMap`, and a drive on it.
    case roadFile = "road-file"
    /// Texts of `maxspeed` and `maxspeed:conditional`.
    case limits
    /// A tile of heights: `ElevationTiles`.
    case heights
    /// A whole recording: `DriveRecordingReader`, and the engine on what it gives.
    case mcap
    /// Messages of a recording in intact chunks, and the engine on what they give.
    case messages
    /// A folder of CSV files: `RecordingReader`.
    case csv
    /// A recording of a telephone: `Conversion`.
    case phone
    /// A log of gpsd's reports: `Conversion`.
    case log
    /// A file of the saved state: `SavedFile`.
    case state
    /// The body of a file of the saved state, with its right checksum.
    case stateBody = "state-body"
    /// Bytes of gpsd as they arrive: `GpsdLineBuffer`, `GpsdParser`, `GPSPipeline`.
    case gpsd
    /// A signal as in a DBC file, and frames of the vehicle bus.
    case can
    /// A message about a device, of the kernel or of udev: `DeviceEvent`.
    case device
    /// A message of an MQTT broker on a command topic: `CommandGate`.
    case mqtt
    /// The files of the bridge's message store: `StoreSegment`.
    case store
    /// A request of the web page: `PageRequests`.
    case page

    /// Reads the bytes. Every result is fine, except the end of the program.
    func read(_ bytes: [UInt8]) {
        switch self {
        case .command, .line, .frames, .mqtt, .page: TalkReaders.read(self, bytes)
        case .settings, .scenario, .state, .stateBody, .store, .records: KeptReaders.read(self, bytes)
        case .route, .answer, .points, .pointFile, .extract, .blocks, .roadFile, .limits, .heights:
            MapReaders.read(self, bytes)
        case .mcap, .messages, .csv, .phone, .log: RecordingReaders.read(self, bytes)
        case .gpsd, .can, .device: SensorReaders.read(self, bytes)
        }
    }
}

/// Ends the program because a reader gave something that it must not give: the fuzzer stores the input.
func broken(_ what: String) -> Never {
    let text = Array("a reader broke its promise: \(what)\n".utf8)
    _ = write(STDERR_FILENO, text, text.count)
    abort()
}

/// A folder in memory for the readers that open files. It is the same for all inputs of a process.
enum ScratchFolder {
    /// Its path.
    static let path: String = {
        let path = "/dev/shm/posed-fuzz-\(getpid())"
        mkdir(path, 0o700)
        atexit { ScratchFolder.remove() }
        return path
    }()

    /// Writes a file.
    static func write(_ bytes: some Collection<UInt8>, to name: String) -> String {
        let place = "\(path)/\(name)"
        let file = open(place, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        defer { close(file) }
        let content = Array(bytes)
        if Glibc.write(file, content, content.count) != content.count { broken("\(place) cannot be written") }
        return place
    }

    /// Removes the files of the folder.
    static func clear() {
        guard let folder = opendir(path) else { return }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { unlink("\(path)/\(name)") }
        }
    }

    /// Removes the folder.
    static func remove() {
        clear()
        rmdir(path)
    }
}

/// Reads values from the start of an input, so that the rest of it keeps its meaning when some are changed.
struct InputSplitter {
    /// What is left.
    private(set) var rest: ArraySlice<UInt8>

    /// Starts with all of it.
    init(_ bytes: [UInt8]) { rest = bytes[...] }

    /// The next byte; 0 at the end.
    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    /// The next number of two bytes.
    mutating func number() -> Int { Int(byte()) | Int(byte()) << 8 }

    /// A part: its length in two bytes, then its bytes, as many as there are.
    mutating func part() -> [UInt8] {
        let count = number()
        let part = rest.prefix(count)
        rest = rest.dropFirst(part.count)
        return Array(part)
    }

    /// The parts that a byte separates.
    static func parts(_ bytes: [UInt8], at separator: UInt8 = 0x1D) -> [ArraySlice<UInt8>] {
        bytes.split(separator: separator, omittingEmptySubsequences: false)
    }
}
