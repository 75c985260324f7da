import CPosed
import CSystem
import Frames
import Glibc

/// The newest frame in memory that clients on this machine map: they read it without a system call. Layout and
/// protocol: `posed_memory` of posed.h.
///
/// For the socket thread alone. Readers can neither write it nor shrink it, so nothing that a client does reaches the
/// daemon or another client.
final class SharedFrame {
    /// To be passed to clients.
    let descriptor: Int32
    /// Bytes to map.
    static let size = 4096
    private let memory: UnsafeMutablePointer<posed_memory>
    private let message: UnsafeMutableRawPointer
    private let capacity: Int

    /// Memory without a frame; `nil` where the system has none to give, or cannot seal it (Linux before 5.1).
    init?() {
        var mapped: UnsafeMutableRawPointer?
        let descriptor = posed_memory_create("posed-frame", Self.size, &mapped)
        guard descriptor >= 0, let mapped else { return nil }
        self.descriptor = descriptor
        memory = mapped.bindMemory(to: posed_memory.self, capacity: 1)
        let begin = MemoryLayout<posed_memory>.size
        message = mapped + begin
        capacity = Self.size - begin
        memory.pointee.magic = POSED_MAGIC
        memory.pointee.version = UInt16(POSED_VERSION)
        memory.pointee.message_offset = UInt16(truncatingIfNeeded: begin)
        memory.pointee.size = UInt32(truncatingIfNeeded: Self.size)
        memory.pointee.capacity = UInt32(truncatingIfNeeded: capacity)
    }

    deinit {
        memory.pointee.closed = 1
        munmap(memory, Self.size)
        close(descriptor)
    }

    /// Replaces the frame by another whole message.
    func write(_ packet: UnsafeRawBufferPointer) {
        guard packet.count <= capacity, packet.count % 8 == 0, let base = packet.baseAddress else { return }
        let turn = UnsafeMutableRawPointer(memory).advanced(by: MemoryLayout<posed_memory>.offset(of: \.turn) ?? 16)
            .assumingMemoryBound(
                to: UInt64.self)
        posed_seqlock_write(turn, message, base, packet.count)
    }
}
