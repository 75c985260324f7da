import Bridge
import CSystem
import Frames
import Glibc

/// Many boards and one office, in one thread with one epoll.
final class Fleet {
    /// What was counted.
    struct Counts {
        var published = 0
        var acknowledged = 0
        var received = 0
        var lost = 0
        var repeated = 0
        var refused = 0
        var ended = 0
        var bytes = 0
        var latencies: [Int64] = []
    }

    private(set) var counts = Counts()
    private let epoll = epoll_create1(0)
    private let port: UInt16
    private var office: Connection
    private var officeIsReady = false
    private var boards: [Board] = []
    private(set) var connected = 0

    /// One board.
    private final class Board {
        let connection: Connection
        let topic: String
        var writer: MessageWriter
        var number: UInt16 = 0
        var lastReceived: Int?
        var sentAt: Int64 = 0
        var isConnected = false

        init(_ index: Int, port: UInt16, epoll: Int32) {
            connection = Connection(port: port, epoll: epoll, token: UInt64(index + 1))
            topic = "posed/board\(index)/pose"
            writer = MessageWriter(
                identity: BoardIdentity(id: "board\(index)", boot: "00"),
                sequence: MessageSequence(sinceBootNanoseconds: 0))
        }
    }

    /// Connects the office.
    init(port: UInt16) {
        self.port = port
        office = Connection(port: port, epoll: epoll, token: 0)
        office.send(Packets.connect("office"))
    }

    static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Connects boards, a few at a time: the broker's queue of new connections is short.
    func connect(_ total: Int) -> Bool {
        let end = Self.now + 120_000_000_000
        while connected < total || !officeIsReady {
            while boards.count < total, boards.count - connected < 50 {
                let board = Board(boards.count, port: port, epoll: epoll)
                boards.append(board)
                board.connection.send(Packets.connect("board\(boards.count)"))
            }
            turn(untilNanoseconds: Self.now + 10_000_000)
            guard Self.now < end, counts.ended == 0 else { return false }
        }
        return true
    }

    /// Publishes a pose of every board once per second, evenly spread.
    func run(seconds: Int) {
        let begin = Self.now
        let total = boards.count * seconds
        let interval = 1_000_000_000.0 / Double(boards.count)
        var frame = Self.frame
        while counts.published < total {
            let due = min(total, Int(Double(Self.now - begin) / interval) + 1)
            while counts.published < due {
                frame.sequence += 1
                publish(boards[counts.published % boards.count], frame)
            }
            turn(untilNanoseconds: begin + Int64(Double(counts.published) * interval))
        }
        // What is on its way.
        let end = Self.now + 30_000_000_000
        while counts.received + counts.lost < total || counts.acknowledged < total, Self.now < end {
            turn(untilNanoseconds: Self.now + 10_000_000)
        }
    }

    /// Waits until the office has subscribed, at most ten seconds.
    func awaitOffice() {
        let end = Self.now + 10_000_000_000
        while !officeIsReady, Self.now < end { turn(untilNanoseconds: Self.now + 10_000_000) }
    }

    /// Receives as many messages of board 1, which other programs publish, in the order of their numbers; whether all
    /// came in time.
    func receive(_ total: Int, withinSeconds limit: Int) -> Bool {
        boards.append(Board(0, port: port, epoll: epoll))
        boards.append(Board(1, port: port, epoll: epoll))
        let end = Self.now + Int64(limit) * 1_000_000_000
        while counts.received < total, Self.now < end { turn(untilNanoseconds: Self.now + 10_000_000) }
        return counts.received >= total
    }

    private func publish(_ board: Board, _ frame: Frame) {
        board.number = board.number == .max ? 1 : board.number + 1
        let payload = board.writer.frame(frame, topics: .pose, dropped: 0)
        board.sentAt = Self.now
        let packet = Packets.publish(board.topic, number: board.number, payload: payload)
        counts.published += 1
        counts.bytes += packet.count
        board.connection.send(packet)
    }

    /// A frame in which most is known.
    static var frame: Frame {
        var frame = Frame()
        (frame.utcNanoseconds, frame.pose.state) = (1_785_000_000_250_000_000, .aligned)
        (frame.pose.latitudeRadians, frame.pose.longitudeRadians) = (0.78539816, -0.52359877)
        (frame.pose.altitudeEllipsoidMeters, frame.pose.altitudeMeanSeaMeters) = (58.9371, 12.4812)
        let triple = Frame.Triple(1.2345, -2.3456, 0.4567)
        (frame.pose.positionSigmaENUMeters, frame.pose.positionENUMeters) = (triple, triple)
        (frame.pose.velocityENUMetersPerSecond, frame.pose.accelerationENUMetersPerSecondSquared) = (triple, triple)
        (frame.pose.rollRadians, frame.pose.pitchRadians, frame.pose.headingTrueRadians) = (0.01, -0.02, 1.3)
        frame.pose.bodyToENU = .init(0.7, 0.1, -0.1, 0.7)
        return frame
    }

    /// Handles what is ready, at most until a time.
    private func turn(untilNanoseconds: Int64) {
        var ready = [posed_ready](repeating: posed_ready(), count: 64)
        let wait = max(0, untilNanoseconds - Self.now)
        let count = posed_wait_ready(epoll, &ready, 64, Int32((wait + 999_999) / 1_000_000))
        for entry in ready.prefix(Int(max(0, count))) {
            let connection = entry.token == 0 ? office : boards[Int(entry.token) - 1].connection
            if entry.events & UInt32(EPOLLOUT.rawValue) != 0 { connection.flush() }
            guard entry.events & ~UInt32(EPOLLOUT.rawValue) != 0 else { continue }
            let isOpen =
                entry.token == 0 ? readOffice() : readBoard(boards[Int(entry.token) - 1])
            if !isOpen {
                counts.ended += 1
                _ = posed_watch_again(epoll, connection.descriptor, 0, entry.token)
            }
        }
    }

    private func readBoard(_ board: Board) -> Bool {
        board.connection.read { kind, content in
            switch kind {
            case 0x20 where content.count >= 2 && content[1] == 0:
                board.isConnected = true
                connected += 1
            case 0x40:
                if content.count < 3 || content[2] < 0x80 { counts.acknowledged += 1 } else { counts.refused += 1 }
            default: counts.refused += 1
            }
        }
    }

    private func readOffice() -> Bool {
        var answers: [UInt8] = []
        let isOpen = office.read { kind, content in
            switch kind {
            case 0x20: office.send(Packets.subscribe("posed/#"))
            case 0x90: officeIsReady = true
            case 0x30:
                let length = Int(content[0]) << 8 | Int(content[1])
                note(content, topicLength: length)
                answers += Packets.acknowledge(UInt16(content[2 + length]) << 8 | UInt16(content[3 + length]))
            default: return
            }
        }
        if !answers.isEmpty { office.send(answers) }
        return isOpen
    }

    /// Notes a message at the office: its board from the topic, its number from the end of the payload.
    private func note(_ content: UnsafeRawBufferPointer, topicLength: Int) {
        let zero = UInt8(ascii: "0")
        // The birth message has no number.
        guard content[..<(2 + topicLength)].last != UInt8(ascii: "k") else { return }
        let digits = content[(2 + 11)..<(2 + topicLength)].prefix { $0 != UInt8(ascii: "/") }
        let board = boards[digits.reduce(0) { $0 * 10 + Int($1 - zero) }]
        var (number, scale, at) = (0, 1, content.count - 3)
        while content[at] >= zero, content[at] <= zero + 9 {
            number += Int(content[at] - zero) * scale
            (scale, at) = (scale * 10, at - 1)
        }
        counts.received += 1
        let expected = board.lastReceived.map { $0 + 1 } ?? 0
        if number < expected { counts.repeated += 1 } else { counts.lost += number - expected }
        board.lastReceived = max(number, board.lastReceived ?? 0)
        counts.latencies.append(Self.now - board.sentAt)
    }
}
