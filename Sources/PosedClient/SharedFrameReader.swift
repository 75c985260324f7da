import CPosed
import CSystem
import Frames
import Glibc

/// The newest frame in shared memory that the daemon writes. Reading needs no system call and never returns a partly
/// written frame. Layout and protocol: `posed_memory` of posed.h.
///
/// Why `@unchecked Sendable` is true: the mapping never changes and is read only; its content is read word by word,
/// atomically, under a seqlock.
public final class SharedFrameReader: @unchecked Sendable {
    private let memory: UnsafeRawPointer
    private let size: Int
    private let messageOffset: Int
    private let capacity: Int

    /// Maps the memory of a descriptor, which the caller closes. `nil` if it is not memory of version 1, or if it could
    /// shrink during reading.
    init?(descriptor: Int32, size: Int) {
        guard size >= MemoryLayout<posed_memory>.size, let mapped = posed_memory_map(descriptor, size) else {
            return nil
        }
        (memory, self.size) = (mapped, size)
        let head = mapped.load(as: posed_memory.self)
        (messageOffset, capacity) = (Int(head.message_offset), Int(head.capacity))
        guard head.magic == POSED_MAGIC, UInt32(head.version) == POSED_VERSION, messageOffset % 8 == 0,
            messageOffset + capacity <= size, capacity >= 24
        else {
            return nil
        }
    }

    deinit { munmap(UnsafeMutableRawPointer(mutating: memory), size) }

    /// The newest frame; `nil` if there is none yet, or if the daemon was killed while it was writing one.
    public func read() -> Frame? {
        withUnsafeTemporaryAllocation(byteCount: capacity, alignment: 8) { copy in
            for _ in 0..<1000 {
                let turn = memory.advanced(by: 16).assumingMemoryBound(to: UInt64.self)
                // The whole capacity is copied: the length is known only with the message.
                guard let base = copy.baseAddress,
                    posed_seqlock_read(turn, memory + messageOffset, base, capacity & ~7) == 1
                else { continue }
                let length = Int(copy.load(fromByteOffset: 8, as: UInt32.self))
                guard (24...capacity).contains(length) else { return nil }
                let received = try? ReceivedMessage(packet: UnsafeRawBufferPointer(rebasing: copy[..<length]))
                if case .frame(let frame, _)? = received?.message { return frame }
                return nil
            }
            return nil
        }
    }

    /// Whether the daemon has ended; the frame is then the last one.
    public var isClosed: Bool { memory.load(fromByteOffset: 24, as: UInt32.self) != 0 }
}
