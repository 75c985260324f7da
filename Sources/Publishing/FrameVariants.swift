import Engine
import Frames
import PoseMath

/// The newest frame in the variants that clients subscribed to: as it is or with blended corrections, at its time or
/// predicted further. Each is made when the first client needs it.
final class FrameVariants {
    /// What distinguishes the frames of two clients.
    private struct Kind: Hashable {
        var isSmooth: Bool
        var leadMilliseconds: UInt32

        init(_ wish: Message.Subscription) { (isSmooth, leadMilliseconds) = (wish.isSmooth, wish.leadMilliseconds) }
    }

    /// The newest frame as it is.
    let plain = FrameForms()
    private var smoothFrame = Frame()
    private var glide = Glide()
    /// Whether the glide has taken the newest frame.
    private var isGlideCurrent = true
    private var others: [Kind: FrameForms] = [:]
    /// Variants that have the newest frame.
    private var current: Set<Kind> = []

    /// Sets the next frame.
    func take(_ frame: Frame) {
        updateGlide()
        plain.take(frame)
        isGlideCurrent = false
        current.removeAll(keepingCapacity: true)
    }

    /// The glide has to see every frame, so that a later subscriber gets a known correction. Called when no client
    /// waits for it.
    func updateGlide() {
        guard !isGlideCurrent else { return }
        smoothFrame = glide.smooth(plain.frame)
        isGlideCurrent = true
    }

    /// The newest frame for a subscription, encoded for the clients of a socket.
    func forms(for wish: Message.Subscription, on socket: SocketKind) -> FrameForms {
        let forms = variant(Kind(wish))
        forms.encode(for: socket)
        return forms
    }

    private func variant(_ kind: Kind) -> FrameForms {
        guard kind.isSmooth || kind.leadMilliseconds > 0 else { return plain }
        let forms = others[kind] ?? FrameForms()
        guard !current.contains(kind) else { return forms }
        if kind.isSmooth { updateGlide() }
        var frame = kind.isSmooth ? smoothFrame : plain.frame
        frame.predict(to: MonotonicTime(nanoseconds: frame.timeNanoseconds &+ Int64(kind.leadMilliseconds) * 1_000_000))
        forms.take(frame)
        others[kind] = forms
        current.insert(kind)
        return forms
    }

    /// Forgets the variants that no subscription needs.
    func keep(for wishes: [Message.Subscription]) {
        guard !others.isEmpty else { return }
        let kinds = Set(wishes.map { Kind($0) })
        others = others.filter { kinds.contains($0.key) }
        current.formIntersection(kinds)
    }
}
