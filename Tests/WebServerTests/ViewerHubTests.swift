import Testing

import struct Foundation.Data

@testable import WebServer

@Suite struct ViewerHubTests {
    @Test func aNewPageGetsTheNewestMessageOfEachKind() async throws {
        // GIVEN a frame and a route that were published before a page is opened
        let hub = ViewerHub(limit: 2)
        hub.publish(Data("old".utf8), .frame)
        hub.publish(Data("frame".utf8), .frame)
        hub.publish(Data("route".utf8), .route)
        // WHEN it is opened THEN it gets both, the frame first
        let viewer = try #require(hub.join())
        #expect(await viewer.mailbox.next() == .text(Data("frame".utf8)))
        #expect(await viewer.mailbox.next() == .text(Data("route".utf8)))
        // WHEN the daemon has ended THEN a page that is opened later gets nothing of it
        hub.forgetDaemon()
        hub.publish(Data("server".utf8), .server)
        let later = try #require(hub.join())
        #expect(await later.mailbox.next() == .text(Data("server".utf8)))
        later.mailbox.finish(code: 1000, reason: "")
        #expect(await later.mailbox.next() == .close(code: 1000, reason: ""))
    }

    @Test func tooManyPagesAreRefused() throws {
        // GIVEN as many pages as may be open
        let hub = ViewerHub(limit: 2)
        let first = try #require(hub.join())
        _ = try #require(hub.join())
        // THEN another one is refused until one has left
        #expect(hub.join()?.number == nil)
        hub.leave(first.number)
        #expect(hub.join()?.number == 3 && hub.count == 2)
    }

    @Test func aReplyGoesToOnePageAndAnEventToAll() async throws {
        // GIVEN two pages
        let hub = ViewerHub(limit: 2)
        let (one, two) = (try #require(hub.join()), try #require(hub.join()))
        // WHEN one of them gets a reply, and both an event
        hub.reply(Data("reply".utf8), to: two.number)
        hub.announce(Data("event".utf8))
        // THEN the other gets the event alone; a reply for a page that has left is dropped
        #expect(await one.mailbox.next() == .text(Data("event".utf8)))
        #expect(await two.mailbox.next() == .text(Data("reply".utf8)))
        hub.reply(Data("nobody".utf8), to: 99)
    }
}
