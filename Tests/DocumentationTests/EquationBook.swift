import Foundation

/// The equations of docs/math.md and where the sources cite them.
struct EquationBook {
    /// One equation's head.
    struct Equation {
        /// Its number, such as "4.2".
        var number: String
        /// The functions it names, such as "NavigationFilter.take".
        var functions: [String]
    }

    /// What one file declares and cites.
    struct Source {
        /// Types that it declares or extends.
        var types: Set<String> = []
        /// Functions, properties and "init".
        var members: Set<String> = []
        /// Numbers of the equations it cites.
        var citations: [String] = []

        /// Reads a file's text word by word.
        init(_ text: String) {
            for line in text.split(separator: "\n") {
                if line.contains("docs/math.md") { citations += EquationBook.citations(in: String(line)) }
                let code = line.drop { $0 == " " }
                guard !code.hasPrefix("//") else { continue }
                let words = code.split { !($0.isLetter || $0.isNumber || $0 == "_") }
                for (index, word) in words.enumerated() {
                    let following = words.dropFirst(index + 1).prefix(2).map(String.init)
                    switch word {
                    // Two words for "extension Outer.Inner".
                    case "struct", "enum", "class", "actor", "extension": types.formUnion(following)
                    case "func", "var", "let": members.formUnion(following.prefix(1))
                    case "init" where index == 0 || words[index - 1] != "self": members.insert("init")
                    default: break
                    }
                }
            }
        }
    }

    /// In their order.
    let equations: [Equation]
    /// The sources by path.
    let sources: [String: Source]

    /// The book of a document and the text of the sources beside it, by path.
    init(document: String, sources: [String: String]) {
        self.sources = sources.mapValues(Source.init)
        equations = document.split(separator: "\n").compactMap { line in
            guard let head = line.wholeMatch(of: /\*\*Eq\. ([0-9]+\.[0-9]+)\*\* ?(.*)/) else { return nil }
            let functions = head.2.matches(of: /`([^`]+)`/).map { String($0.1) }
            return Equation(number: String(head.1), functions: functions)
        }
    }

    /// Equation numbers cited in a text: all that follow "docs/math.md, " as "eq. 4.2, eq. 4.3".
    static func citations(in text: String) -> [String] {
        text.matches(of: /docs\/math\.md((?:, eq\. [0-9]+\.[0-9]+)+)/).flatMap { match in
            match.1.matches(of: /[0-9]+\.[0-9]+/).map { String($0.0) }
        }
    }

    /// What is wrong, a sentence each.
    var problems: [String] {
        let numbers = equations.map(\.number)
        var problems = equations.filter(\.functions.isEmpty).map { "eq. \($0.number) names no function" }
        problems += outOfOrder
        for (path, source) in sources {
            problems += source.citations.filter { !numbers.contains($0) }.map {
                "\(path) cites eq. \($0), which does not exist"
            }
        }
        for equation in equations {
            let places = equation.functions.map { (name: $0, files: files(declaring: $0)) }
            for place in places where place.files.isEmpty {
                problems.append("eq. \(equation.number) names \(place.name), which no source declares")
            }
            let isCited = places.contains {
                $0.files.contains { sources[$0]?.citations.contains(equation.number) ?? false }
            }
            if !isCited {
                problems.append(
                    "eq. \(equation.number) is not cited where \(equation.functions.joined(separator: " or ")) is "
                        + "declared"
                )
            }
        }
        return problems.sorted()
    }

    /// Numbers count up from .1 in each section, one by one, and sections by one.
    private var outOfOrder: [String] {
        var (section, count) = (0, 0)
        var problems: [String] = []
        for equation in equations {
            let parts = equation.number.split(separator: ".").compactMap { Int($0) }
            let isNext = parts == [section, count + 1] || parts == [section + 1, 1]
            if !isNext { problems.append("eq. \(equation.number) follows eq. \(section).\(count)") }
            (section, count) = (parts[0], parts[1])
        }
        return problems
    }

    /// Files that hold a type (or an extension of it) and declare its member.
    func files(declaring function: String) -> [String] {
        let path = function.prefix { $0 != "(" }.split(separator: ".").map(String.init)
        guard path.count >= 2 else { return [] }
        let (type, member) = (path[path.count - 2], path[path.count - 1])
        return sources.filter { $0.value.types.contains(type) && $0.value.members.contains(member) }.map(\.key)
    }
}
