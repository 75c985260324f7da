/// What is wrong with a value, and its position if it is not the start of the value.
struct SettingsComplaint: Error, ExpressibleByStringInterpolation {
    /// The error text.
    var text: String
    /// The position; `nil`: the start of the value.
    var position: TextPosition?

    /// An error text without a position.
    init(stringLiteral text: String) { self.text = text }

    /// An error text with a position.
    init(_ text: String, at position: TextPosition?) {
        self.text = text
        self.position = position
    }
}

/// One setting: name, description, allowed values, and the place of its value.
package struct SettingsKey: Sendable {
    /// When a changed value takes effect.
    package enum Reload: String, Sendable {
        /// With SIGHUP, while the daemon runs.
        case live
        /// When the daemon starts.
        case restart
    }

    /// Section and name, separated by a point, such as `gps.port`.
    package let path: String
    /// Description, one sentence.
    package let summary: String
    /// Type of the value as text.
    package let type: String
    /// Unit; `nil` without a unit.
    package let unit: String?
    /// Allowed values as text.
    package let allowed: String
    /// When a changed value takes effect.
    package let reload: Reload
    /// Stores the value of a node. The error text does not name the key.
    let apply: @Sendable (SettingsNode, inout Settings) throws(SettingsComplaint) -> Void
    /// The value in force, as written in a settings file.
    package let show: @Sendable (Settings) -> String

    /// Copies the value of this key from other settings.
    package let copy: @Sendable (Settings, inout Settings) -> Void

    /// The default value, as written in a settings file.
    package var defaultText: String { show(Settings()) }
    /// The part of the path before the point; empty for keys outside a section.
    package var section: String { path.firstIndex(of: ".").map { String(path[..<$0]) } ?? "" }
    /// The part of the path after the point.
    package var name: String { path.firstIndex(of: ".").map { String(path[path.index(after: $0)...]) } ?? path }
}

/// The path and the description of a key.
struct SettingsKeyLabel {
    var path: String
    var summary: String
    var reload: SettingsKey.Reload = .restart

    init(_ path: String, _ summary: String, _ reload: SettingsKey.Reload = .restart) {
        self.path = path
        self.summary = summary
        self.reload = reload
    }
}

/// The place in ``Settings`` that stores the value of a key.
typealias SettingsPlace<Value> = WritableKeyPath<Settings, Value> & Sendable

extension SettingsKey {
    /// Creates a key whose values are read by `decode` and written by `encode`.
    static func make<Value>(
        _ label: SettingsKeyLabel, _ place: SettingsPlace<Value>,
        _ words: (type: String, unit: String?, allowed: String),
        _ coder: SettingsCoder<Value>
    ) -> SettingsKey {
        SettingsKey(
            path: label.path, summary: label.summary, type: words.type, unit: words.unit, allowed: words.allowed,
            reload: label.reload,
            apply: { (node, settings) throws(SettingsComplaint) in
                do throws(SettingsComplaint) {
                    settings[keyPath: place] = try coder.decode(node)
                } catch {
                    let allowed = words.unit.map { "\(words.allowed) \($0)" } ?? words.allowed
                    throw SettingsComplaint("\(error.text); give \(allowed)", at: error.position ?? node.position)
                }
            },
            show: { coder.encode($0[keyPath: place]) },
            copy: { $1[keyPath: place] = $0[keyPath: place] })
    }
}

/// Reads a value from a settings file and writes one.
struct SettingsCoder<Value>: Sendable {
    var decode: @Sendable (SettingsNode) throws(SettingsComplaint) -> Value
    var encode: @Sendable (Value) -> String
}

extension SettingsNode {
    /// The type of the node as text, for error messages.
    var kindInWords: String {
        switch self {
        case .scalar(let scalar): scalar.isQuoted ? "text" : "`\(scalar.text)`"
        case .list: "a list"
        case .mapping: "a section"
        case .empty, .unreadable: "nothing"
        }
    }

    /// Whether the value is not set: empty, `null` or `~`.
    var isNull: Bool {
        switch self {
        case .empty: true
        case .scalar(let scalar): !scalar.isQuoted && (scalar.text == "null" || scalar.text == "~")
        default: false
        }
    }

    /// The scalar value; throws if the node is not a scalar.
    func scalar(_ wanted: String) throws(SettingsComplaint) -> SettingsScalar {
        guard case .scalar(let scalar) = self, !isNull else {
            throw "is \(isNull ? "without a value" : kindInWords), not \(wanted)"
        }
        return scalar
    }

    /// The value as a number in a unit.
    func number(unit: String?) throws(SettingsComplaint) -> Double {
        let scalar = try scalar("a number")
        guard !scalar.isQuoted else { throw SettingsComplaint("is text in quotes, not a number", at: scalar.position) }
        switch SettingsNumber.read(scalar.text, unit: unit) {
        case .success(let value): return value
        case .failure(let complaint): throw SettingsComplaint(complaint.text, at: scalar.position)
        }
    }
}
