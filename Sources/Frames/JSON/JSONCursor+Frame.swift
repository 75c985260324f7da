// Writes the head and the parts of a frame as members of its JSON line.

extension JSONCursor {
    /// The start of every line: type, sequence number, times.
    mutating func head(_ frame: FrameMembers) {
        literal("{\"type\":\"frame\",\"seq\":")
        integer(frame[\.sequence])
        seconds(",\"t_s\":", nanoseconds: frame[\.timeNanoseconds])
        seconds(",\"utc_s\":", nanoseconds: frame[\.utcNanoseconds])
        seconds(",\"measured_s\":", nanoseconds: frame[\.measuredNanoseconds])
        seconds(",\"published_s\":", nanoseconds: frame[\.publishedNanoseconds])
        literal(frame[\.isSimulated] ? ",\"simulated\":true" : ",\"simulated\":false")
    }

    /// A part of the frame as a member of its line, after a comma.
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

    /// Ends an object and removes the comma after its last member.
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
