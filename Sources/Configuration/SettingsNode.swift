/// A piece of a settings file as it was written, before anyone asked what it means.
enum SettingsNode: Sendable {
    /// Anything written in one piece.
    case scalar(SettingsScalar)
    /// `[a, b]`, or lines that begin with a dash.
    case list([SettingsNode], TextPosition)
    /// Keys and their values.
    case mapping([SettingsEntry], TextPosition)
    /// A key with nothing behind it.
    case empty(TextPosition)
    /// Something that could not be read; its mistake has been named.
    case unreadable(TextPosition)

    /// Where it begins.
    var position: TextPosition {
        switch self {
        case .scalar(let scalar): scalar.position
        case .list(_, let position), .mapping(_, let position), .empty(let position), .unreadable(let position):
            position
        }
    }
}

/// A value written in one piece.
struct SettingsScalar: Sendable {
    /// The text, quotes and escapes taken off.
    var text: String
    /// Whether it stood in quotes: then it is text, whatever it looks like.
    var isQuoted: Bool
    /// Where it begins.
    var position: TextPosition
}

/// A key and its value.
struct SettingsEntry: Sendable {
    /// The key as written.
    var key: String
    /// Where the key begins.
    var position: TextPosition
    /// What it is set to.
    var value: SettingsNode
}
