/// What is wrong with a value, and where it stands if not at its beginning.
struct SettingsComplaint: Error, ExpressibleByStringInterpolation {
    /// The sentence.
    var text: String
    /// The place; `nil`: where the value begins.
    var position: TextPosition?

    /// The sentence alone.
    init(stringLiteral text: String) { self.text = text }

    /// The sentence and the place.
    init(_ text: String, at position: TextPosition?) {
        self.text = text
        self.position = position
    }
}

/// One thing a user may set: its name, what it means, what it may be, and where its value goes.
package struct SettingsKey: Sendable {
    /// When a changed value takes effect.
    package enum Reload: String, Sendable {
        /// With SIGHUP, while the daemon runs.
        case live
        /// When the daemon starts.
        case restart
    }

    /// Section and name with a point between, such as `gps.port`.
    package let path: String
    /// What it does, one sentence.
    package let summary: String
    /// What kind of value it is, in words.
    package let type: String
    /// Its unit; `nil` where it has none.
    package let unit: String?
    /// Which values are taken, in words.
    package let allowed: String
    /// When a changed value takes effect.
    package let reload: Reload
    /// Puts the value of a node in its place.
    let apply: @Sendable (SettingsNode, inout Settings) throws(SettingsComplaint) -> Void
    /// The value in force, as a settings file would say it.
    package let show: @Sendable (Settings) -> String

    /// Takes the value of this key alone over from other settings.
    package let copy: @Sendable (Settings, inout Settings) -> Void

    /// The value that holds when nobody sets it, as a settings file would say it.
    package var defaultText: String { show(Settings()) }
    /// The part of the path before the point; empty for keys outside any section.
    package var section: String { path.firstIndex(of: ".").map { String(path[..<$0]) } ?? "" }
    /// The part of the path behind the point.
    package var name: String { path.firstIndex(of: ".").map { String(path[path.index(after: $0)...]) } ?? path }
}

/// What a key is called and what is said about it.
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

/// A place in ``Settings`` that a key writes to.
typealias SettingsPlace<Value> = WritableKeyPath<Settings, Value> & Sendable

extension SettingsKey {
    /// A key whose values are read by `decode` and written by `encode`.
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
                    throw SettingsComplaint(
                        "\(label.path): \(error.text); give \(allowed)", at: error.position ?? node.position)
                }
            },
            show: { coder.encode($0[keyPath: place]) },
            copy: { $1[keyPath: place] = $0[keyPath: place] })
    }
}

/// How a value is read from a settings file and written to one.
struct SettingsCoder<Value>: Sendable {
    var decode: @Sendable (SettingsNode) throws(SettingsComplaint) -> Value
    var encode: @Sendable (Value) -> String
}

extension SettingsNode {
    /// What this is, for a message that says what was found instead of what was wanted.
    var kindInWords: String {
        switch self {
        case .scalar(let scalar): scalar.isQuoted ? "text" : "`\(scalar.text)`"
        case .list: "a list"
        case .mapping: "a section"
        case .empty, .unreadable: "nothing"
        }
    }

    /// Whether this says "not set": nothing, `null` or `~`.
    var isNull: Bool {
        switch self {
        case .empty: true
        case .scalar(let scalar): !scalar.isQuoted && (scalar.text == "null" || scalar.text == "~")
        default: false
        }
    }

    /// The scalar this is, or the complaint that it is none.
    func scalar(_ wanted: String) throws(SettingsComplaint) -> SettingsScalar {
        guard case .scalar(let scalar) = self, !isNull else {
            throw "is \(isNull ? "without a value" : kindInWords), not \(wanted)"
        }
        return scalar
    }

    /// The number this is, in a unit.
    func number(unit: String?) throws(SettingsComplaint) -> Double {
        let scalar = try scalar("a number")
        guard !scalar.isQuoted else { throw SettingsComplaint("is text in quotes, not a number", at: scalar.position) }
        switch SettingsNumber.read(scalar.text, unit: unit) {
        case .success(let value): return value
        case .failure(let complaint): throw SettingsComplaint(complaint.text, at: scalar.position)
        }
    }
}
