extension SettingsKey {
    /// A key with a list of files, one file, or `null`.
    static func paths(_ label: SettingsKeyLabel, _ place: SettingsPlace<[String]>) -> SettingsKey {
        let allowed = "the path of a file, or a list of them, such as `[fleet.yaml, workshop.yaml]`"
        return make(label, place, ("path, list or null", nil, allowed), .paths)
    }
}

extension SettingsCoder where Value == [String] {
    /// Reads the list; throws with an explanation if an element is no path.
    static let paths = SettingsCoder<[String]>(
        decode: { (node) throws(SettingsComplaint) in
            if node.isNull { return [] }
            let coder = SettingsCoder<String>.text(.file)
            guard case .list(let items, _) = node else { return [try coder.decode(node)] }
            var paths: [String] = []
            for item in items { paths.append(try coder.decode(item)) }
            return paths
        },
        encode: { paths in
            paths.isEmpty
                ? "null" : "[" + paths.map { SettingsWriter.quotedWhereNeeded($0) }.joined(separator: ", ") + "]"
        })
}
