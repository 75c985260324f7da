/// A node of the parsed YAML of a settings file.
package enum SettingsNode: Sendable {
    /// A scalar.
    case scalar(SettingsScalar)
    /// A list: `[a, b]`, or lines that start with a dash.
    case list([SettingsNode], TextPosition)
    /// Keys and values.
    case mapping([SettingsEntry], TextPosition)
    /// A key without a value.
    case empty(TextPosition)
    /// A node that could not be parsed; its error is already reported.
    case unreadable(TextPosition)

    /// Start position.
    package var position: TextPosition {
        switch self {
        case .scalar(let scalar): scalar.position
        case .list(_, let position), .mapping(_, let position), .empty(let position), .unreadable(let position):
            position
        }
    }
}

/// A scalar value.
package struct SettingsScalar: Sendable {
    /// The text without quotes and escapes.
    package var text: String
    /// Whether the scalar was quoted. A quoted scalar is always text.
    package var isQuoted: Bool
    /// Start position.
    package var position: TextPosition
}

/// A key and its value.
package struct SettingsEntry: Sendable {
    /// The key as written.
    package var key: String
    /// Start position of the key.
    package var position: TextPosition
    /// The value.
    package var value: SettingsNode
}
