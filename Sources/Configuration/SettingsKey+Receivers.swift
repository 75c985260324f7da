import SensorInterface

extension SettingsKey {
    /// A key with a list of receivers, or `null`.
    static func receivers(_ label: SettingsKeyLabel, _ place: SettingsPlace<[GPSReceiverPlace]>) -> SettingsKey {
        let allowed =
            "1 to \(GPSReceiverPlace.limit) receivers, each a device of gpsd or `HOST[:PORT[:DEVICE]]`, such as "
            + "`[/dev/ttyACM0, /dev/ttyUSB0]` or `[localhost, backup.local:2947]`"
        return make(label, place, ("list or null", nil, allowed), .receivers)
    }
}

extension SettingsCoder where Value == [GPSReceiverPlace] {
    /// Reads the list; throws with an explanation if a receiver is none, or is named twice.
    static let receivers = SettingsCoder<[GPSReceiverPlace]>(
        decode: { (node) throws(SettingsComplaint) in
            if node.isNull { return [] }
            guard case .list(let items, _) = node else { throw "is \(node.kindInWords), not a list" }
            guard (1...GPSReceiverPlace.limit).contains(items.count) else {
                throw "has \(items.count) receivers, not 1 to \(GPSReceiverPlace.limit)"
            }
            var places: [GPSReceiverPlace] = []
            for item in items {
                let scalar = try item.scalar("a receiver")
                guard let place = GPSReceiverPlace(scalar.text) else {
                    throw SettingsComplaint("`\(scalar.text.prefix(60))` names no receiver", at: item.position)
                }
                guard !places.contains(place) else {
                    throw SettingsComplaint("`\(scalar.text.prefix(60))` is named twice", at: item.position)
                }
                places.append(place)
            }
            return places
        },
        encode: { places in
            places.isEmpty
                ? "null" : "[" + places.map { "\"\($0.description)\"" }.joined(separator: ", ") + "]"
        })
}
