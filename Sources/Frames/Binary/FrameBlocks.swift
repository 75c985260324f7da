import CPosed

// The head of a frame, written where it lies in the packet. The other blocks are written by the tables in Fields/.

extension UnsafeMutablePointer where Pointee == posed_stamp {
    /// Writes the frame's times; the count of losses is the client's own and set later.
    @inline(__always)
    func write(_ frame: FrameMembers) {
        var valid: UInt32 = 0
        pointee.frame_sequence = frame[\.sequence]
        pointee.time_ns = frame[\.timeNanoseconds]
        if let utc = frame[\.utcNanoseconds] {
            pointee.utc_ns = utc
            valid = POSED_STAMP_UTC
        } else {
            pointee.utc_ns = 0
        }
        pointee.measured_ns = frame[\.measuredNanoseconds]
        pointee.reset_count = frame[\.pose.resetCount]
        pointee.origin_epoch = frame[\.pose.originEpoch]
        pointee.published_ns = frame[\.publishedNanoseconds]
        pointee.block = posed_block(id: POSED_BLOCK_STAMP, size: MemoryLayout<posed_stamp>.size, valid: valid)
    }
}
