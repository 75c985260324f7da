// A frame's head and parts as members of its line.

extension JSONCursor {
    /// What every line begins with: its kind, its number, its times.
    mutating func head(_ frame: FrameMembers) {
        literal("{\"type\":\"frame\",\"seq\":")
        integer(frame[\.sequence])
        seconds(",\"t_s\":", nanoseconds: frame[\.timeNanoseconds])
        seconds(",\"utc_s\":", nanoseconds: frame[\.utcNanoseconds])
        seconds(",\"measured_s\":", nanoseconds: frame[\.measuredNanoseconds])
        seconds(",\"published_s\":", nanoseconds: frame[\.publishedNanoseconds])
    }

    /// A part of the frame as a member of its line, led by a comma.
    @inline(__always)
    mutating func part<Fields: BlockFields>(_ fields: Fields.Type, of frame: FrameMembers) {
        literal(",\"")
        literal(Fields.name)
        literal("\":{")
        var writer = JSONFieldWriter<Fields.Block>(frame, at: self)
        Fields.visit(&writer)
        self = writer.cursor
        closeObject()
    }

    /// Ends an object whose last member has a comma behind it.
    @inline(__always)
    mutating func closeObject() {
        step(back: 1)
        byte(0x7D)
    }

    @inline(__always)
    private mutating func seconds(_ key: StaticString, nanoseconds: Int64?) {
        literal(key)
        if let nanoseconds { seconds(nanoseconds: nanoseconds) } else { null() }
    }
}
