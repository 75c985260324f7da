import Testing

import struct Foundation.Data

@testable import WebServer

@Suite struct MailboxTests {
    private func text(_ string: String) -> Data { Data(string.utf8) }

    @Test func onlyTheNewestFrameIsSentToASlowPage() async {
        // GIVEN a page that does not read while three frames are published
        let mailbox = Mailbox()
        for number in 1...3 { mailbox.put(text("frame \(number)"), .frame) }
        // WHEN it reads again THEN it gets the newest one
        #expect(await mailbox.next() == .text(text("frame 3")))
        // THEN nothing is left: the next item is the next frame
        async let item = mailbox.next()
        mailbox.put(text("frame 4"), .frame)
        #expect(await item == .text(text("frame 4")))
    }

    @Test func eventsComeFirstAndTheOldestIsDropped() async {
        // GIVEN more events than are kept, and a frame
        let mailbox = Mailbox()
        mailbox.put(text("frame"), .frame)
        for number in 0...Mailbox.queueLimit { mailbox.add(.text(text("event \(number)"))) }
        // THEN the events come first, without the oldest one, and the frame last
        for number in 1...Mailbox.queueLimit { #expect(await mailbox.next() == .text(text("event \(number)"))) }
        #expect(await mailbox.next() == .text(text("frame")))
    }

    @Test func aSlowPageMisses257EventsByOne() async {
        // GIVEN a page that does not read while 257 events come WHEN it reads again THEN it gets the newest 256 of them
        let mailbox = Mailbox()
        for number in 0..<257 { mailbox.add(.text(text("event \(number)"))) }
        mailbox.finish(code: 1000, reason: "")
        var found: [Mailbox.Item] = []
        while let item = await mailbox.next() { found.append(item) }
        #expect(found.count == 257 && found.first == .text(text("event 1")))
        #expect(found.dropLast().last == .text(text("event 256")) && found.last == .close(code: 1000, reason: ""))
    }

    @Test func theLastMessageFollowsWhatIsQueued() async {
        // GIVEN a reply and a last message, after which the page sends nothing any more
        let mailbox = Mailbox()
        mailbox.add(.text(text("reply")))
        mailbox.finish(code: 1008, reason: "why")
        mailbox.endReading()
        // THEN both are sent, then nothing
        #expect(await mailbox.next() == .text(text("reply")))
        #expect(await mailbox.next() == .close(code: 1008, reason: "why"))
        mailbox.add(.text(text("late")))
        #expect(await mailbox.next() == nil)
    }

    @Test func aPageThatHasLeftGetsNothing() async {
        // GIVEN a page that waits WHEN it leaves THEN its wait ends, and later messages are not kept
        let mailbox = Mailbox()
        async let item = mailbox.next()
        mailbox.endReading()
        #expect(await item == nil)
        mailbox.put(text("frame"), .frame)
        #expect(await mailbox.next() == nil)
    }

    @Test func aCancelledWaitEnds() async {
        // GIVEN a task that waits WHEN it is cancelled THEN it gets the end
        let mailbox = Mailbox()
        let task = Task { await mailbox.next() }
        task.cancel()
        #expect(await task.value == nil)
    }
}
