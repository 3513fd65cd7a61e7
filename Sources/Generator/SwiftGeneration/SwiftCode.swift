/// An expression of Swift as a tree, which is written on one line if it fits, and else on several.
indirect enum SwiftCode: Sendable, Hashable {
    case text(String)
    /// A call: the text before the parentheses, and the arguments, with their labels.
    case call(String, [SwiftCode])
    /// A call with a closure: the code before the brace, the closure's parameter, and its body.
    case closure(SwiftCode, String, SwiftCode)
    /// A list in brackets.
    case list([SwiftCode])
    /// Code between two texts.
    case wrapped(String, SwiftCode, String)

    private static let lineLength = 120

    /// The code on one line.
    var line: String {
        switch self {
        case .text(let text): text
        case .call(let name, let arguments): "\(name)(\(arguments.map(\.line).joined(separator: ", ")))"
        case .closure(let call, let parameter, let body): "\(call.line) { \(parameter) in \(body.line) }"
        case .list(let elements): "[\(elements.map(\.line).joined(separator: ", "))]"
        case .wrapped(let before, let code, let after): before + code.line + after
        }
    }

    /// The code as lines that follow a line of so many columns, and begin at a level of so many spaces.
    func lines(after column: Int, indent: Int) -> [String] {
        let line = line
        if column + line.utf8.count <= Self.lineLength { return [line] }
        let inner = indent + 4
        let space = String(repeating: " ", count: 4)
        func block(_ codes: [SwiftCode], _ open: String, _ close: String) -> [String] {
            var lines = [open]
            for (index, code) in codes.enumerated() {
                var part = code.lines(after: inner, indent: inner)
                if index < codes.count - 1 { part[part.count - 1] += "," }
                lines += part.map { space + $0 }
            }
            lines[lines.count - 1] += close
            return lines
        }
        switch self {
        case .text: return [line]
        case .call(let name, let arguments):
            // A list that is all there is opens and closes together with the parentheses.
            if arguments.count == 1, case .list(let elements) = arguments[0] {
                return block(elements, "\(name)([", "])")
            }
            return block(arguments, "\(name)(", ")")
        case .list(let elements): return block(elements, "[", "]")
        case .closure(let call, let parameter, let body):
            var lines = call.lines(after: column + parameter.utf8.count + 6, indent: indent)
            lines[lines.count - 1] += " { \(parameter) in"
            return lines + body.lines(after: inner, indent: inner).map { space + $0 } + ["}"]
        case .wrapped(let before, let code, let after):
            var lines = code.lines(after: column + before.utf8.count, indent: indent)
            lines[0] = before + lines[0]
            lines[lines.count - 1] += after
            return lines
        }
    }
}
