import CYAML

/// An event of libyaml.
struct YAMLEvent {
    /// The kind of an event.
    enum Kind {
        /// An event without meaning for settings, such as the start of the text.
        case other
        /// The end of the text.
        case end
        /// Start of a document.
        case documentStart
        /// End of a document.
        case documentEnd
        /// `*name`.
        case alias
        /// A scalar without quotes and escapes.
        case scalar(String, style: yaml_scalar_style_t)
        /// Start of a list, in brackets or with dashes.
        case listStart(isInBrackets: Bool)
        /// End of a list.
        case listEnd
        /// Start of a mapping.
        case mappingStart
        /// End of a mapping.
        case mappingEnd
    }

    /// The kind.
    var kind: Kind
    /// Start position.
    var start: TextPosition
    /// End position.
    var end: TextPosition
    /// `&` or `!` if an anchor or a tag precedes it.
    var sign: String?
}

/// Why libyaml stops.
enum YAMLFault: Error {
    /// A byte is not UTF-8; the offset counts from 0.
    case noise(offset: Int)
    /// A syntax error: libyaml's text and position, its context and the context's start.
    case syntax(problem: String, at: TextPosition, context: String, since: TextPosition?)
}

/// The sequence of events of a text.
///
/// Memory and time are linear in the size of the text, which the caller limits. The consumer of the events limits the
/// depth. An alias is an event and is not expanded.
final class YAMLEvents {
    private let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
    private let text: UnsafeMutableBufferPointer<UInt8>

    /// The events of a UTF-8 text without byte order mark; `nil` if memory is exhausted.
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
    /// The position of a mark, which counts from 0.
    init(_ mark: yaml_mark_t) {
        self.init(line: Int(clamping: mark.line) &+ 1, column: Int(clamping: mark.column) &+ 1)
    }
}
