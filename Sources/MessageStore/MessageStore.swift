import Files
import Glibc

/// A queue of messages in a folder, with a bounded size on the disk.
///
/// For use by one program at a time. Files of other names in the folder are left alone. A failed write loses nothing
/// while the program runs: the messages stay in memory, of which at most that of one file is used.
public struct MessageStore: ~Copyable {
    /// What was done so far.
    public private(set) var counters = StoreCounters()
    /// Why the last write failed, or a file cannot be read now; `nil` if neither is the case.
    public private(set) var problem: FileFault?
    private let folder: String
    private let limit: Int
    private var closed: [ClosedSegment] = []
    private var open = StoreSegment()
    private var openNumber: UInt64 = 1
    private var openFile: Int32 = -1
    /// How much of the open file is on the disk, bytes.
    private var written = 0
    /// The open file still has what it had before it was thinned: there was no room for the thinned content beside it.
    private var isOutdated = false
    /// Where the next message is that is given out, and the first that is not acknowledged.
    private var next: StorePlace
    private var oldest: StorePlace
    /// The file that was read last.
    private var loaded: (number: UInt64, segment: StoreSegment)?

    /// Opens the store in a folder, which is created if its parent exists.
    ///
    /// - Parameter limit: maximum size of all files, bytes; at least four files of ``StoreSegment/closingSize`` fit.
    public init(folder: String, limit: Int) throws(FileFault) {
        try Folder.create(folder, permissions: 0o700)
        let found = try Self.list(folder)
        let number = max(found.closed.last.map { $0.number + 1 } ?? 1, found.open.last ?? 1)
        let open = try Self.openFile(folder, number: number, others: found.open)
        self.init(folder: folder, limit: limit, closed: found.closed, number: number, open: open)
    }

    private init(
        folder: String, limit: Int, closed: [ClosedSegment], number: UInt64,
        open: (file: Int32, segment: StoreSegment, isWhole: Bool)
    ) {
        self.folder = folder
        self.limit = max(limit, 4 * StoreSegment.closingSize)
        self.closed = closed
        openNumber = number
        (openFile, self.open, written) = (open.file, open.segment, open.segment.bytes.count)
        next = StorePlace(segment: closed.first?.number ?? number, index: 0)
        oldest = next
        counters.damaged = open.isWhole ? 0 : 1
        counters.recovered = UInt64(
            closed.reduce(open.segment.count) { $0 + Self.count(of: "\(folder)/\($1.name)") })
    }

    deinit { if openFile >= 0 { close(openFile) } }

    /// Size of all files, bytes.
    public var diskSize: Int { closed.reduce(open.bytes.count) { $0 + $1.diskSize } }

    /// Whether every message was acknowledged.
    public var isEmpty: Bool {
        closed.isEmpty && (oldest.segment == openNumber ? oldest.index >= open.count : open.count == 0)
    }

    /// Appends a message. Returns `false` if its payload is too large.
    @discardableResult public mutating func append(_ message: StoredMessage) -> Bool {
        guard message.payload.count <= StoredMessage.payloadLimit else { return false }
        counters.appended += 1
        open.append(message)
        writeOpen()
        if open.bytes.count >= StoreSegment.closingSize { closeOpen() }
        return true
    }

    /// The next message that was not given out yet, with its place; `nil` if there is none, or if its file cannot be
    /// read now: a later one must not come before it, because its acknowledgement is one for all before.
    public mutating func take() -> (message: StoredMessage, place: StorePlace)? {
        while true {
            if next.segment == openNumber {
                guard let message = open.message(next.index) else { return nil }
                defer { next.index += 1 }
                return (message, next)
            }
            guard let index = closed.firstIndex(where: { $0.number >= next.segment }) else {
                next = StorePlace(segment: openNumber, index: 0)
                continue
            }
            if closed[index].number > next.segment { next = StorePlace(segment: closed[index].number, index: 0) }
            do throws(FileFault) {
                if try load(closed[index]), let message = loaded?.segment.message(next.index) {
                    defer { next.index += 1 }
                    return (message, next)
                }
            } catch {
                problem = error
                return nil
            }
            next = StorePlace(segment: next.segment + 1, index: 0)
        }
    }

    /// The message at that place and all before it were delivered.
    public mutating func acknowledge(_ place: StorePlace) {
        guard place >= oldest else { return }
        counters.acknowledged += 1
        oldest = StorePlace(segment: place.segment, index: place.index + 1)
        next = max(next, oldest)
        while let first = closed.first, first.number < oldest.segment || isDelivered(first) {
            unlink("\(folder)/\(first.name)")
            closed.removeFirst()
        }
        guard oldest.segment == openNumber, oldest.index >= open.count else { return }
        // Nothing waits: the open file begins anew, so that it stays small.
        open.removeAll()
        (oldest.index, next.index, written, isOutdated) = (0, 0, 0, false)
        if openFile >= 0, ftruncate(openFile, 0) != 0 { note(.notWritten(errno)) }
    }

    /// Gives out again what was not acknowledged.
    public mutating func rewind() { next = oldest }

    /// Makes the newest messages durable; the others are already.
    public mutating func synchronize() {
        if openFile >= 0, open.count > 0, fdatasync(openFile) != 0 { note(.notWritten(errno)) }
    }

    private mutating func isDelivered(_ file: ClosedSegment) -> Bool {
        file.number == oldest.segment && (try? load(file)) == true && oldest.index >= (loaded?.segment.count ?? 0)
    }

    private mutating func note(_ fault: FileFault) {
        counters.failedWrites += 1
        problem = fault
    }
}

// MARK: - Files

extension MessageStore {
    private var openPath: String { "\(folder)/open-\(openNumber)" }

    /// The files of the store in their order: the closed ones, and the numbers of those that were open.
    private static func list(_ folder: String) throws(FileFault) -> (closed: [ClosedSegment], open: [UInt64]) {
        guard let entries = opendir(folder) else { throw .notOpened(errno) }
        defer { closedir(entries) }
        var (closed, open): ([ClosedSegment], [UInt64]) = ([], [])
        while let entry = readdir(entries) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            var status = stat()
            guard stat("\(folder)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
            if isLeftNew(name) {
                unlink("\(folder)/\(name)")
            } else if let file = ClosedSegment(name: name, diskSize: Int(status.st_size)) {
                closed.append(file)
            } else if let number = openNumber(name) {
                open.append(number)
            }
        }
        // A program that was killed while it thinned a file leaves both: the thinned one counts.
        let best = Dictionary(closed.map { ($0.number, $0) }, uniquingKeysWith: { $0.level > $1.level ? $0 : $1 })
        for file in closed where best[file.number] != file { unlink("\(folder)/\(file.name)") }
        return (best.values.sorted { $0.number < $1.number }, open.sorted())
    }

    /// The number in the name of an open file; `nil` for other files.
    private static func openNumber(_ name: String) -> UInt64? {
        guard name.hasPrefix("open-"), let number = UInt64(name.dropFirst(5)), number < .max / 2 else { return nil }
        return number
    }

    /// Whether a file is new content of one of the store's files, left by a program that was killed while it wrote.
    private static func isLeftNew(_ name: String) -> Bool {
        guard name.hasSuffix(".new") else { return false }
        let stem = String(name.dropLast(4))
        return openNumber(stem) != nil || ClosedSegment(name: stem, diskSize: 0) != nil
    }

    /// Opens the file for new messages and reads what an earlier program left in it. Other files that were open have
    /// been closed since; their remains are removed.
    private static func openFile(_ folder: String, number: UInt64, others: [UInt64]) throws(FileFault) -> (
        file: Int32, segment: StoreSegment, isWhole: Bool
    ) {
        for other in others where other != number { unlink("\(folder)/open-\(other)") }
        let path = "\(folder)/open-\(number)"
        let file = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw .notMade(errno) }
        AtomicFile.syncFolder(of: path)
        do throws(FileFault) {
            let bytes = try RegularFile(path).bytes(count: StoreSegment.sizeLimit + 1)
            let segment = StoreSegment(records: bytes)
            guard ftruncate(file, off_t(segment.bytes.count)) == 0 else { throw .notWritten(errno) }
            return (file, segment, segment.bytes.count == bytes.count)
        } catch {
            Glibc.close(file)
            throw error
        }
    }

    /// The number of messages that a closed file states; 0 for one that is damaged.
    private static func count(of path: String) -> Int {
        (try? RegularFile(path).bytes(count: StoreSegment.fileHeadSize)).map { StoreSegment.count(head: $0) } ?? 0
    }

    /// Reads a closed file unless it was the last one read. A damaged one is removed, and the result is `false`.
    /// Throws, and keeps the file, if it cannot be read now, for example because too many files are open.
    private mutating func load(_ file: ClosedSegment) throws(FileFault) -> Bool {
        if loaded?.number == file.number { return true }
        let path = "\(folder)/\(file.name)"
        do throws(FileFault) {
            let bytes = try RegularFile(path).bytes(count: StoreSegment.sizeLimit + 65_536)
            if let segment = StoreSegment(closed: bytes) {
                loaded = (file.number, segment)
                return true
            }
        } catch {
            switch error {
            // What the disk has lost is damaged: all messages after it would wait for ever.
            case .notOpened(ENOENT), .notRead(EIO), .notRegular: break
            default: throw error
            }
        }
        counters.damaged += 1
        unlink(path)
        closed.removeAll { $0.number == file.number }
        return false
    }

    /// Writes what is not on the disk yet.
    private mutating func writeOpen() {
        do throws(FileFault) {
            if isOutdated { return try replaceOpen() }
            let (file, start) = (openFile, written)
            try open.bytes.span.extracting(start..<open.bytes.count).withUnsafeBytes { bytes throws(FileFault) in
                try FileTransfer.write(bytes, to: file, at: start)
            }
            written = open.bytes.count
            problem = nil
        } catch { note(error) }
    }

    /// Replaces the open file by what is in memory; until that is durable, the file keeps what it has.
    private mutating func replaceOpen() throws(FileFault) {
        try AtomicFile.replace(openPath, with: open.bytes, permissions: 0o600)
        if openFile >= 0 { close(openFile) }
        openFile = Glibc.open(openPath, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard openFile >= 0 else { throw .notOpened(errno) }
        (written, isOutdated, problem) = (open.bytes.count, false, nil)
    }

    /// Compresses the open file and begins the next one. If that fails, for example on a full disk, every second
    /// message is left out and the file stays open.
    private mutating func closeOpen() {
        guard let content = open.closed else { return }
        var file = ClosedSegment(number: openNumber, level: 0, diskSize: content.count)
        do throws(FileFault) {
            try makeRoom(for: content.count)
            try AtomicFile.replace("\(folder)/\(file.name)", with: content, permissions: 0o600)
            problem = nil
        } catch {
            note(error)
            return thinOpen()
        }
        file.diskSize = content.count
        closed.append(file)
        if oldest.segment == openNumber || next.segment == openNumber { loaded = (openNumber, open) }
        unlink(openPath)
        if openFile >= 0 { close(openFile) }
        openNumber += 1
        open.removeAll()
        (written, isOutdated) = (0, false)
        openFile = Glibc.open(openPath, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        if openFile < 0 { note(.notMade(errno)) }
        AtomicFile.syncFolder(of: openPath)
    }

    /// Leaves out every second message of the open file. On a full disk there may be no room for the new content: the
    /// old one then stays until there is, and a program that is started meanwhile finds what was left out again.
    private mutating func thinOpen() {
        let rest = open.thinned
        // Without anything that may be left out, the oldest half goes.
        let kept = rest.count < open.count ? rest : open.newerHalf
        counters.thinned += UInt64(open.count - kept.count)
        open = kept
        // Another number, so that the places of messages that are on their way mean nothing any more.
        rename(openPath, "\(folder)/open-\(openNumber + 1)")
        openNumber += 1
        if oldest.segment == openNumber - 1 { oldest = StorePlace(segment: openNumber, index: 0) }
        if next.segment == openNumber - 1 { next = StorePlace(segment: openNumber, index: 0) }
        isOutdated = true
        writeOpen()
    }

    /// Thins the oldest files until a new one fits. Throws if one of them cannot be read now.
    private mutating func makeRoom(for size: Int) throws(FileFault) {
        while closed.reduce(size, { $0 + $1.diskSize }) > limit - StoreSegment.sizeLimit {
            // Files of which messages are on their way keep their places.
            let first = closed.firstIndex { $0.number > next.segment } ?? closed.count
            guard let index = StoreThinning.next(closed, from: first) else { return }
            try thin(index, isFirst: index == first)
        }
    }

    private mutating func thin(_ index: Int, isFirst: Bool) throws(FileFault) {
        let file = closed[index]
        guard try load(file), let whole = loaded?.segment else { return }
        loaded = nil
        var rest = whole.thinned
        // What cannot lose more is removed.
        if file.level >= StoreThinning.levelLimit || rest.count == whole.count { rest = StoreSegment() }
        counters.thinned += UInt64(whole.count - rest.count)
        let level = min(file.level + 1, StoreThinning.levelLimit)
        var thinned = ClosedSegment(number: file.number, level: level, diskSize: 0)
        // Neighbours that were thinned equally become one file.
        if rest.count > 0, !isFirst, closed[index - 1].level == thinned.level,
            (try? load(closed[index - 1])) == true, let before = loaded?.segment,
            before.bytes.count + rest.bytes.count <= StoreSegment.closingSize
        {
            var both = before
            both.append(rest)
            if replace(closed[index - 1], by: both) { rest.removeAll() }
        }
        loaded = nil
        guard rest.count > 0, let content = rest.closed else {
            unlink("\(folder)/\(file.name)")
            closed.removeAll { $0.number == file.number }
            return
        }
        thinned.diskSize = content.count
        do throws(FileFault) {
            try AtomicFile.replace("\(folder)/\(thinned.name)", with: content, permissions: 0o600)
        } catch {
            // A full disk: the file itself is given up, so that there is room again.
            note(error)
            counters.thinned += UInt64(rest.count)
            unlink("\(folder)/\(file.name)")
            closed.removeAll { $0.number == file.number }
            return
        }
        if thinned.name != file.name { unlink("\(folder)/\(file.name)") }
        // A damaged neighbour is no longer in the list.
        guard let place = closed.firstIndex(of: file) else { return }
        closed[place] = thinned
    }

    private mutating func replace(_ file: ClosedSegment, by segment: StoreSegment) -> Bool {
        guard let content = segment.closed, let index = closed.firstIndex(of: file) else { return false }
        do throws(FileFault) {
            try AtomicFile.replace("\(folder)/\(file.name)", with: content, permissions: 0o600)
        } catch {
            note(error)
            return false
        }
        closed[index].diskSize = content.count
        return true
    }
}

extension StoreSegment {
    /// The newer half of the messages.
    fileprivate var newerHalf: StoreSegment {
        var rest = StoreSegment()
        for index in (count / 2)..<count { if let message = message(index) { rest.append(message) } }
        return rest
    }
}
