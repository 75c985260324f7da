import CSystem
import Glibc
import SeededNumbers
import Testing

@testable import Sensors

/// Messages of the kernel and of udev about devices.
@Suite struct DeviceEventTests {
    private static let properties =
        "ACTION=add\0DEVPATH=/devices/i2c-1/1-0068/iio:device0\0SUBSYSTEM=iio\0MAJOR=246\0SEQNUM=2468\0"
    private static let kernel = Array("add@/devices/i2c-1/1-0068/iio:device0\0\(properties)".utf8)

    /// A message of udev with the place of its properties.
    private static func udev(offset: UInt32 = 40, length: UInt32? = nil, magic: UInt32 = 0xFEED_CAFE) -> [UInt8] {
        func bytes(_ number: UInt32) -> [UInt8] { withUnsafeBytes(of: number) { Array($0) } }
        let count = length ?? UInt32(properties.utf8.count)
        let header = bytes(magic.bigEndian) + bytes(40) + bytes(offset) + bytes(count)
        return Array("libudev\0".utf8) + header + [UInt8](repeating: 0, count: 16) + Array(properties.utf8)
    }

    private func event(_ bytes: [UInt8]) -> DeviceEvent? { bytes.withUnsafeBytes { DeviceEvent(message: $0) } }

    @Test func bothFormsTellTheActionAndTheSubsystem() {
        for message in [Self.kernel, Self.udev()] {
            let event = event(message)
            #expect(event?.action == "add" && event?.subsystem == "iio" && event?.isOfIIO == true)
        }
        // Another subsystem, or an action that changes no device
        for text in ["add@/x\0ACTION=add\0SUBSYSTEM=usb\0", "online@/x\0ACTION=online\0SUBSYSTEM=iio\0"] {
            #expect(event(Array(text.utf8))?.isOfIIO == false)
        }
    }

    @Test func everythingElseIsNoEvent() {
        let texts = [
            "", "\0", "add@/x", "add@/x\0", "add@/x\0ACTION=add\0", "x\0ACTION=add\0SUBSYSTEM=iio\0", "libudev\0",
        ]
        for text in texts { #expect(event(Array(text.utf8)) == nil, "\(text)") }
        // GIVEN headers of udev whose numbers point out of the message, or into the header
        let hostile = [
            Self.udev(offset: .max), Self.udev(length: .max), Self.udev(offset: .max, length: .max),
            Self.udev(offset: 0, length: UInt32(Self.udev().count)), Self.udev(offset: 41),
            Self.udev(magic: 0xCAFE_FEED),
        ]
        for message in hostile { #expect(event(message) == nil) }
    }

    @Test(arguments: [(23, false), (24, true), (40, true)])
    func thePropertiesBeginBehindTheHeader(offset: UInt32, isEvent: Bool) {
        // GIVEN a message of udev whose properties begin in its header of 24 bytes, or behind it
        let length = UInt32(Self.udev().count) - offset
        #expect((event(Self.udev(offset: offset, length: length)) != nil) == isEvent)
    }

    @Test func cutAndChangedMessagesDoNotTrap() {
        var random = SplitMix64(seed: 16)
        for message in [Self.kernel, Self.udev()] {
            for count in 0...message.count { _ = event(Array(message.prefix(count))) }
            for _ in 0..<20_000 {
                var changed = message
                for _ in 0..<Int.random(in: 1...6, using: &random) {
                    changed[Int.random(in: changed.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
                }
                if let event = event(changed) { #expect(event.action.utf8.count <= 3 * 64) }
            }
        }
    }

    @Test(arguments: [
        ("add", true), ("remove", true), ("change", true), ("bind", true), ("unbind", true), ("move", false),
        ("online", false), ("Add", false),
    ])
    func someActionsMayChangeWhatCanBeOpened(action: String, isChange: Bool) {
        // GIVEN messages of IIO, and of another subsystem, with properties that repeat THEN the first of each holds
        let repeated = "ACTION=\(action)\0SUBSYSTEM=iio\0ACTION=add\0SUBSYSTEM=usb\0"
        #expect(event(Array("\(action)@/x\0\(repeated)".utf8))?.isOfIIO == isChange)
        let other = "ACTION=\(action)\0SUBSYSTEM=usb\0"
        #expect(event(Array("\(action)@/x\0\(other)".utf8))?.isOfIIO == false)
    }

    @Test(arguments: [(63, true), (64, false)]) func aFloodOfMessagesIsTakenInParts(others: Int, isTold: Bool) {
        // GIVEN messages of other subsystems before one of IIO WHEN they are taken THEN 64 are taken at once, and the
        // rest with the next call
        var ends: [Int32] = [0, 0]
        #expect(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
        defer { close(ends[1]) }
        let events = DeviceEvents(descriptor: ends[0])
        let usb = Array("add@/x\0ACTION=add\0SUBSYSTEM=usb\0".utf8)
        for message in Array(repeating: usb, count: others) + [Self.kernel] {
            #expect(posed_send(ends[1], message, message.count) == message.count)
        }
        let taken = [events.take(), events.take(), events.take()]
        #expect(taken == [isTold, !isTold, false])
    }

    @Test func theMessagesThatHaveArrivedAreTakenAtOnce() {
        // GIVEN a socket with messages of other subsystems WHEN they are taken THEN nothing is told
        var ends: [Int32] = [0, 0]
        #expect(socketpair(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
        defer { close(ends[1]) }
        let events = DeviceEvents(descriptor: ends[0])
        func send(_ bytes: [UInt8]) { _ = posed_send(ends[1], bytes, bytes.count) }
        send(Array("add@/x\0ACTION=add\0SUBSYSTEM=usb\0".utf8))
        #expect(!events.take() && !events.take())
        // WHEN one of IIO is among them THEN it is told once
        send(Array("add@/x\0ACTION=add\0SUBSYSTEM=usb\0".utf8))
        send(Self.kernel)
        send([0xFF, 0xFE])
        #expect(events.take())
        #expect(!events.take())
        // AND where there is no socket, nothing is told
        #expect(!DeviceEvents(descriptor: -1).take())
    }
}
