import CPosed
import CSystem
import Frames
import Glibc

/// The newest frame in shared memory. Clients on the same machine map it and read it without a system call. Layout and
/// protocol: `posed_memory` of posed.h.
///
/// Only the socket thread uses it. Readers can neither write nor shrink the memory, so a client cannot affect the
/// daemon or another client.
final class SharedFrame {
    /// The descriptor passed to clients.
    let descriptor: Int32
    /// Size of the mapping, bytes.
    static let size = 4096
    private let memory: UnsafeMutablePointer<posed_memory>
    private let message: UnsafeMutableRawPointer
    private let capacity: Int

    /// Creates memory without a frame; `nil` if the system cannot create or seal it (Linux before 5.1).
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

    /// Replaces the frame by a complete message.
    func write(_ packet: UnsafeRawBufferPointer) {
        guard packet.count <= capacity, packet.count % 8 == 0, let base = packet.baseAddress else { return }
        let turn = UnsafeMutableRawPointer(memory).advanced(by: MemoryLayout<posed_memory>.offset(of: \.turn) ?? 16)
            .assumingMemoryBound(
                to: UInt64.self)
        posed_seqlock_write(turn, message, base, packet.count)
    }
}
