/// A record with an order.
protocol Sortable: BitwiseCopyable {
    /// Whether `a` precedes `b`.
    static func precedes(_ a: Self, _ b: Self) -> Bool
}

/// External merge sort: sorts any number of records in bounded memory. Runs that fit in memory are sorted and written
/// to disk, then merged.
struct ExternalSorter<Record: Sortable> {
    private let folder: String
    private let capacity: Int
    private var buffer: [Record] = []
    private var file: TemporaryFile?
    private var runs: [(start: Int, count: Int)] = []
    /// Number of records.
    private(set) var count = 0

    /// Creates a sorter with a memory limit, bytes.
    init(folder: String, memoryBytes: Int = 8 << 20) {
        self.folder = folder
        capacity = max(16, memoryBytes / MemoryLayout<Record>.stride)
    }

    /// Adds a record.
    mutating func append(_ record: Record) throws(ImportProblem) {
        buffer.append(record)
        count += 1
        if buffer.count >= capacity { try spill() }
    }

    private mutating func spill() throws(ImportProblem) {
        buffer.sort(by: Record.precedes)
        if file == nil { file = try TemporaryFile(folder: folder) }
        guard let file else { return }
        runs.append((file.count, buffer.count))
        try buffer.span.withUnsafeBytes { bytes throws(ImportProblem) in try file.append(bytes) }
        buffer.removeAll(keepingCapacity: true)
    }

    /// The records in order; no more can be added.
    consuming func sorted() throws(ImportProblem) -> SortedRecords<Record> {
        guard file != nil else {
            buffer.sort(by: Record.precedes)
            return SortedRecords(memory: buffer)
        }
        try spill()
        buffer = []
        guard let file else { return SortedRecords(memory: []) }
        try file.flush()
        return try SortedRecords(streams: runs.map { RecordStream(file, from: $0.start, count: $0.count) })
    }
}

/// The sorted records, readable once.
struct SortedRecords<Record: Sortable> {
    private var memory: [Record]
    private var next = 0
    private var streams: [RecordStream<Record>]
    /// A heap of streams; the stream with the smallest next record is on top.
    private var heap: [(record: Record, stream: Int)] = []

    fileprivate init(memory: [Record]) {
        self.memory = memory
        streams = []
    }

    fileprivate init(streams: [RecordStream<Record>]) throws(ImportProblem) {
        memory = []
        self.streams = streams
        for index in streams.indices {
            if let record = try self.streams[index].pop() {
                heap.append((record, index))
                rise(heap.count - 1)
            }
        }
    }

    /// The next record; `nil` at the end.
    mutating func pop() throws(ImportProblem) -> Record? {
        guard let top = heap.first else {
            guard next < memory.count else { return nil }
            next += 1
            return memory[next - 1]
        }
        if let record = try streams[top.stream].pop() {
            heap[0].record = record
        } else {
            heap.swapAt(0, heap.count - 1)
            heap.removeLast()
        }
        sink()
        return top.record
    }

    private mutating func rise(_ start: Int) {
        var index = start
        while index > 0, Record.precedes(heap[index].record, heap[(index - 1) / 2].record) {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    private mutating func sink() {
        var index = 0
        while true {
            var first = index
            for child in (2 * index + 1)...(2 * index + 2) where child < heap.count {
                if Record.precedes(heap[child].record, heap[first].record) { first = child }
            }
            guard first != index else { return }
            heap.swapAt(first, index)
            index = first
        }
    }
}
