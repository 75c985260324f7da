"""Changes of the sources behind switches: one build holds many, and POSED_MUTANT tells which one is in force.

An operator becomes one of its own, `a < b` for example `a ┐ b`, which is `<=` or `<` by the switch; a number or a word
becomes `(mutantInForce == 7 ? 6 : 5)`. The operators are declared in a file of the target, their functions at the end
of the changed file, private and inlined, so that the speed stays.
"""

import re

FILE = "MutantOperators.swift"
FIRST = 0x2500  # Box drawing and what follows it: 600 characters that Swift takes as operators.

HEAD = """
import Glibc
private let mutantInForce = getenv("POSED_MUTANT").flatMap { Int(String(cString: $0)) } ?? -1
"""
INLINE = "@inline(__always) private func"
PRECEDENCE = {
    "<": "ComparisonPrecedence", "<=": "ComparisonPrecedence", ">": "ComparisonPrecedence",
    ">=": "ComparisonPrecedence", "==": "ComparisonPrecedence", "!=": "ComparisonPrecedence",
    "&&": "LogicalConjunctionPrecedence", "||": "LogicalDisjunctionPrecedence", "+": "AdditionPrecedence",
    "-": "AdditionPrecedence", "*": "MultiplicationPrecedence", "/": "MultiplicationPrecedence",
    "+=": "AssignmentPrecedence", "-=": "AssignmentPrecedence",
}
# The parameters and the result of an operator, with its constraints, for each kind of operand it may have.
COMPARED = [("<T: Comparable>(a: T, b: T) -> Bool", "")]
EQUAL = [("<T: Equatable>(a: T, b: T) -> Bool", ""), ("<T>(a: T?, b: _OptionalNilComparisonType) -> Bool", "")]
SUMS = [("<T: AdditiveArithmetic>(a: T, b: T) -> T", ""),
        ("<T: SIMD>(a: T, b: T) -> T", "where T.Scalar: FloatingPoint")]
PRODUCTS = [("<T: FloatingPoint>(a: T, b: T) -> T", ""), ("<T: BinaryInteger>(a: T, b: T) -> T", ""),
            ("<T: SIMD>(a: T, b: T) -> T", "where T.Scalar: FloatingPoint"),
            ("<T: SIMD>(a: T, b: T.Scalar) -> T", "where T.Scalar: FloatingPoint"),
            ("<T: SIMD>(a: T.Scalar, b: T) -> T", "where T.Scalar: FloatingPoint")]
ASSIGNED = [("<T: AdditiveArithmetic>(a: inout T, b: T)", ""),
            ("<T: SIMD>(a: inout T, b: T)", "where T.Scalar: FloatingPoint")]
FORMS = {"<": COMPARED, "<=": COMPARED, ">": COMPARED, ">=": COMPARED, "==": EQUAL, "!=": EQUAL, "+": SUMS, "-": SUMS,
         "*": PRODUCTS, "/": PRODUCTS, "+=": ASSIGNED, "-=": ASSIGNED}


def parts(mutant):
    """The text that a change replaces, and what replaces it, without the spaces around."""
    return mutant.line[mutant.start : mutant.end].strip(), mutant.new.strip()


def can_hold(mutant):
    """Whether a change can stand behind a switch at all; the compiler decides about the rest."""
    return not mutant.path.endswith("main.swift")


def operator(number):
    return chr(FIRST + number)


def functions(number, old, new):
    """The functions of the operator of a change."""
    name, choice = operator(number), f"mutantInForce == {number}"
    if old in ("&&", "||"):
        body = f"{choice} ? (try a {new} b()) : (try a {old} b())"
        return f"{INLINE} {name} (a: Bool, b: @autoclosure () throws -> Bool) rethrows -> Bool {{ {body} }}\n"
    if old.endswith("=") and old[0] in "+-":
        body = f"if {choice} {{ a {new} b }} else {{ a {old} b }}"
    else:
        body = f"{choice} ? a {new} b : a {old} b"
    return "".join(f"{INLINE} {name} {head} {where} {{ {body} }}\n" for head, where in FORMS[old])


def extreme(number, old, new):
    """The functions that are `min` or `max` by the switch."""
    choice = f"mutantInForce == {number}"
    text = "".join(
        f"{INLINE} mutant{number}<T: Comparable>({', '.join(f'_ {x}: T' for x in names)}) -> T "
        f"{{ {choice} ? {new}({', '.join(names)}) : {old}({', '.join(names)}) }}\n" for names in ("ab", "abc", "abcd"))
    return text + (
        f"extension Sequence where Element: Comparable {{\n    fileprivate func mutant{number}() -> Element? "
        f"{{ {choice} ? {new}() : {old}() }}\n}}\n"
        f"extension Sequence {{\n    fileprivate func mutant{number}(by a: (Element, Element) throws -> Bool) rethrows "
        f"-> Element? {{ {choice} ? try {new}(by: a) : try {old}(by: a) }}\n}}\n")


def switched(number, mutant, line):
    """The line with the switch in it, the functions that it needs, and the operator with its precedence. The line may
    have other switches, behind the change."""
    old, new = parts(mutant)
    before, after = line[: mutant.start], line[mutant.end :]
    if old in PRECEDENCE:
        name = operator(number)
        line = before.rstrip(" ") + (" " if before.strip() else before) + f"{name} " + after.lstrip(" ")
        return line, functions(number, old, new), (name, PRECEDENCE[old])
    if old in ("min(", "max("):
        return before + f"mutant{number}(" + after, extreme(number, old[:-1], new[:-1]), None
    guarded = re.fullmatch(r"guard (.*) else \{ (return|continue|break)", old)
    if guarded and new.startswith("guard true || "):
        text = f"guard mutantInForce == {number} || ({guarded.group(1)}) else {{ {guarded.group(2)}"
        return before + text + after, "", None
    return before + f"(mutantInForce == {number} ? ({new}) : ({old}))" + after, "", None


def write(held, top, folder):
    """Writes the changed files of all targets, and restores those that no change is left in."""
    files, operators = {}, {}
    for number, mutant in held.items():
        files.setdefault(mutant.path, []).append((number, mutant))
    for path, mutants in files.items():
        lines, functions_here = (top / path).read_text().splitlines(), HEAD
        for number, mutant in sorted(mutants, key=lambda entry: -entry[1].start):
            lines[mutant.number - 1], more, declared = switched(number, mutant, lines[mutant.number - 1])
            functions_here += more
            if declared:
                operators.setdefault("/".join(path.split("/")[:2]), []).append(declared)
        replace(folder / path, "\n".join(lines) + "\n" + functions_here)
    for target, declared in operators.items():
        text = "".join(f"infix operator {name}: {precedence}\n" for name, precedence in declared)
        replace(folder / target / FILE, text)
    for path in (folder / "Sources").rglob("*.swift"):
        name = str(path.relative_to(folder))
        if path.name == FILE and str(path.parent.relative_to(folder)) not in operators:
            path.unlink()
        elif path.name != FILE and name not in files and (top / name).exists():
            replace(path, (top / name).read_text())


def replace(path, text):
    """Writes a file where its text is another one, so that the others are not built again."""
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def refused(held, said, folder):
    """The changes that the compiler's errors belong to: on the line, else the nearest ones of the file."""
    gone = set()
    for path, line in re.findall(r"(Sources/\S+\.swift):(\d+):\d+: error:", said):
        here = {number: abs(mutant.number - int(line)) for number, mutant in held.items() if mutant.path == path}
        lines = (folder / path).read_text().splitlines() if (folder / path).exists() else []
        text = lines[int(line) - 1] if int(line) <= len(lines) else ""
        named = [n for n in here if operator(n) in text or f"mutant{n}" in text or f"mutantInForce == {n} " in text]
        if named:
            gone.update(named)
        elif here:
            nearest = min(here.values())
            gone.update(number for number, far in here.items() if far == nearest)
    return gone
