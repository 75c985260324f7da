/// Negative numbers on a command line. ArgumentParser takes `-1` for an option: `posectl trim -1` needed `--` before.
enum NegativeNumbers {
    /// The arguments with negative numbers in a form that is read as numbers: joined to the option before them, or
    /// after a `--`, if no option follows that would not be one any more. Options with one value each that follow are
    /// put before it: `posectl trim -1 --folder /tmp/posed`.
    static func marked(in arguments: [String]) -> [String] {
        var marked: [String] = []
        for (place, argument) in arguments.enumerated() {
            guard argument != "--" else { return marked + arguments[place...] }
            guard argument.hasPrefix("-"), Double(argument)?.isFinite ?? false else {
                marked.append(argument)
                continue
            }
            if let option = marked.last, option.hasPrefix("--"), !option.contains("=") {
                marked[marked.count - 1] = "\(option)=\(argument)"
            } else if !arguments[place...].contains(where: { $0.hasPrefix("--") }) {
                return marked + ["--"] + arguments[place...]
            } else if areOptionsWithValues(arguments[(place + 1)...]) {
                return marked + Self.marked(in: Array(arguments[(place + 1)...])) + ["--", argument]
            } else {
                marked.append(argument)
            }
        }
        return marked
    }

    /// Whether these are only options with a value each, as `--folder X` or `--folder=X`.
    private static func areOptionsWithValues(_ arguments: ArraySlice<String>) -> Bool {
        var rest = arguments
        while let option = rest.popFirst() {
            guard option.hasPrefix("--"), option.count > 2 else { return false }
            if option.contains("=") { continue }
            guard let value = rest.popFirst(), !value.hasPrefix("--") else { return false }
        }
        return true
    }
}
