import Synchronization

/// Values that are costly to make and that several test cases begin with; each is made once, at its first use.
final class SharedValues<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// One value; a second case that asks for it waits for the first to make it.
    private final class Entry: Sendable {
        let value = Mutex<Value?>(nil)
    }

    private let entries = Mutex<[Key: Entry]>([:])

    /// The value of a key; `make` makes it.
    func value(_ key: Key, make: () throws -> Value) throws -> Value {
        let entry = entries.withLock { entries in
            if let entry = entries[key] { return entry }
            let entry = Entry()
            entries[key] = entry
            return entry
        }
        return try entry.value.withLock { value in
            if let value { return value }
            let made = try make()
            value = made
            return made
        }
    }
}
