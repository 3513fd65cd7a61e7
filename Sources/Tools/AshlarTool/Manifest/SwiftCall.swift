/// A call in a Swift text, `.target(name: "Feed", dependencies: [])`, as places among its tokens.
struct SwiftCall {
    struct Argument {
        /// The word before the colon; nil of an argument without one.
        var label: String?
        /// The first token, which is the label if there is one.
        var start: Int
        /// The tokens of the value.
        var value: Range<Int>
    }

    var name: String
    var arguments: [Argument] = []
    /// The token behind the bracket that ends it.
    var end: Int

    /// The call whose name is at a place; nil if there is none.
    init?(at place: Int, in tokens: [SwiftToken]) {
        guard tokens.indices.contains(place + 1), tokens[place].kind == .word, tokens[place + 1].isMark("(") else {
            return nil
        }
        name = tokens[place].text
        end = place + 2
        while true {
            let start = end
            var depth = 0
            while depth > 0 || !(tokens[end].isMark(",") || tokens[end].isMark(")")) {
                if ["(", "[", "{"].contains(where: tokens[end].isMark) { depth += 1 }
                if [")", "]", "}"].contains(where: tokens[end].isMark) { depth -= 1 }
                end += 1
            }
            if end > start {
                let isLabelled = end > start + 2 && tokens[start].kind == .word && tokens[start + 1].isMark(":")
                arguments.append(
                    Argument(
                        label: isLabelled ? tokens[start].text : nil, start: start,
                        value: (isLabelled ? start + 2 : start)..<end))
            }
            end += 1
            if tokens[end - 1].isMark(")") { return }
        }
    }

    func argument(_ label: String) -> Argument? { arguments.first { $0.label == label } }

    /// Returns the value of an argument that is one plain string; nil for any other.
    func string(_ label: String, in tokens: [SwiftToken]) -> String? {
        guard let value = argument(label)?.value, value.count == 1,
            case .string(let text) = tokens[value.lowerBound].kind
        else { return nil }
        return text
    }
}
