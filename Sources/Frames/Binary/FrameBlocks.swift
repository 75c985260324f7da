import CPosed

// Writes the stamp of a frame into the packet. The tables in Fields/ write the other blocks.

extension UnsafeMutablePointer where Pointee == posed_stamp {
    /// Writes the times of the frame. The count of lost messages depends on the client and is set later.
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
        if frame[\.isSimulated] { valid |= POSED_STAMP_SIMULATED }
        pointee.measured_ns = frame[\.measuredNanoseconds]
        pointee.reset_count = frame[\.pose.resetCount]
        pointee.origin_epoch = frame[\.pose.originEpoch]
        pointee.published_ns = frame[\.publishedNanoseconds]
        pointee.block = posed_block(id: POSED_BLOCK_STAMP, size: MemoryLayout<posed_stamp>.size, valid: valid)
    }
}
