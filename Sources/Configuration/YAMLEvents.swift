import CYAML

/// A piece of YAML as libyaml finds it.
struct YAMLEvent {
    /// What it is.
    enum Kind {
        /// Something without a meaning for settings: the beginning of the text.
        case other
        /// The end of the text.
        case end
        /// A document begins.
        case documentStart
        /// A document ends.
        case documentEnd
        /// `*name`.
        case alias
        /// Text in one piece, quotes and escapes taken off.
        case scalar(String, style: yaml_scalar_style_t)
        /// A list begins, in brackets or with dashes.
        case listStart(isInBrackets: Bool)
        /// A list ends.
        case listEnd
        /// A mapping begins.
        case mappingStart
        /// A mapping ends.
        case mappingEnd
    }

    /// What it is.
    var kind: Kind
    /// Where it begins.
    var start: TextPosition
    /// Where it ends.
    var end: TextPosition
    /// `&` or `!` where an anchor or a tag stands before it.
    var sign: String?
}

/// Why libyaml cannot go on.
enum YAMLFault: Error {
    /// A byte, counted from 0, is not text.
    case noise(offset: Int)
    /// The text is not YAML: libyaml's words, the place, and what it was reading from which place on.
    case syntax(problem: String, at: TextPosition, context: String, since: TextPosition?)
}

/// The events of one text, one after the other.
///
/// Memory and time are linear in the text, which the caller bounds; what stands within each other is counted by who
/// takes the events. An alias is an event, never the text it stands for.
final class YAMLEvents {
    private let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
    private let text: UnsafeMutableBufferPointer<UInt8>

    /// The events of a text in UTF-8, without byte order mark; `nil` where there is no memory.
    init?(_ bytes: [UInt8]) {
        text = .allocate(capacity: max(bytes.count, 1))
        _ = text.update(fromContentsOf: bytes)
        parser.initialize(to: yaml_parser_t())
        guard yaml_parser_initialize(parser) != 0 else { return nil }
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(parser, text.baseAddress, bytes.count)
    }

    deinit {
        yaml_parser_delete(parser)
        parser.deallocate()
        text.deallocate()
    }

    /// The next event.
    func next() throws(YAMLFault) -> YAMLEvent {
        var event = yaml_event_t()
        guard yaml_parser_parse(parser, &event) != 0 else { throw fault }
        defer { yaml_event_delete(&event) }
        var sign: String?
        let kind: YAMLEvent.Kind
        switch event.type {
        case YAML_STREAM_END_EVENT, YAML_NO_EVENT: kind = .end
        case YAML_DOCUMENT_START_EVENT: kind = .documentStart
        case YAML_DOCUMENT_END_EVENT: kind = .documentEnd
        case YAML_ALIAS_EVENT: kind = .alias
        case YAML_SCALAR_EVENT:
            let scalar = event.data.scalar
            sign = Self.sign(anchor: scalar.anchor, tag: scalar.tag)
            let bytes = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
            kind = .scalar(String(decoding: bytes, as: UTF8.self), style: scalar.style)
        case YAML_SEQUENCE_START_EVENT:
            let list = event.data.sequence_start
            sign = Self.sign(anchor: list.anchor, tag: list.tag)
            kind = .listStart(isInBrackets: list.style == YAML_FLOW_SEQUENCE_STYLE)
        case YAML_SEQUENCE_END_EVENT: kind = .listEnd
        case YAML_MAPPING_START_EVENT:
            sign = Self.sign(anchor: event.data.mapping_start.anchor, tag: event.data.mapping_start.tag)
            kind = .mappingStart
        case YAML_MAPPING_END_EVENT: kind = .mappingEnd
        default: kind = .other
        }
        return YAMLEvent(
            kind: kind, start: TextPosition(event.start_mark), end: TextPosition(event.end_mark),
            sign: sign)
    }

    private static func sign(anchor: UnsafeMutablePointer<UInt8>?, tag: UnsafeMutablePointer<UInt8>?) -> String? {
        anchor != nil ? "&" : tag != nil ? "!" : nil
    }

    private var fault: YAMLFault {
        let state = parser.pointee
        let problem = state.problem.map { String(cString: $0) } ?? "is not YAML"
        if state.error == YAML_READER_ERROR { return .noise(offset: Int(clamping: state.problem_offset)) }
        let context = state.context.map { String(cString: $0) }
        return .syntax(
            problem: problem, at: TextPosition(state.problem_mark), context: context ?? "",
            since: context == nil ? nil : TextPosition(state.context_mark))
    }
}

extension TextPosition {
    /// The place of a mark, which counts from 0.
    init(_ mark: yaml_mark_t) {
        self.init(line: Int(clamping: mark.line) &+ 1, column: Int(clamping: mark.column) &+ 1)
    }
}
