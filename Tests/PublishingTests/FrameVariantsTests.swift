import Frames
import Testing

@testable import Publishing

/// The newest frame in the forms that clients asked for.
@Suite struct FrameVariantsTests {
    private func frame(_ number: UInt64) -> Frame {
        var frame = Frame()
        (frame.sequence, frame.timeNanoseconds) = (number, Int64(number) * 1_000_000_000)
        return frame
    }

    @Test(arguments: [(false, 20), (true, 0), (true, 20)] as [(Bool, UInt32)])
    func aVariantIsMadeOnceForAllClientsThatWantIt(isSmooth: Bool, leadMilliseconds: UInt32) {
        // GIVEN a frame that was blended or predicted for a first client, and then marked by another number
        var wish = Message.Subscription(topics: .all, rateMillihertz: 0)
        (wish.isSmooth, wish.leadMilliseconds) = (isSmooth, leadMilliseconds)
        let variants = FrameVariants()
        variants.take(frame(7))
        let first = variants.forms(for: wish, on: .stream)
        #expect(first.frame.sequence == 7)
        #expect(first.frame.timeNanoseconds == 7_000_000_000 + Int64(leadMilliseconds) * 1_000_000)
        first.take(frame(99))
        // WHEN others want the same THEN they get what was made for the first one, on both sockets
        for socket in [SocketKind.stream, .frames] {
            #expect(variants.forms(for: wish, on: socket).frame.sequence == 99)
        }
        // AND the next frame is made anew, for each variant
        variants.take(frame(8))
        #expect(variants.forms(for: wish, on: .frames).frame.sequence == 8)
        wish.leadMilliseconds = 50
        #expect(variants.forms(for: wish, on: .frames).frame.timeNanoseconds == 8_050_000_000)
    }
}
