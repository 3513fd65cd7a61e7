/// The smallest part of a format string that has a meaning.
struct Token {
    enum Kind: Equatable {
        /// A name, or a keyword that a `#` makes a name.
        case name(String)
        /// A keyword, as written.
        case keyword(Keyword, String)
        case number(Constant)
        case string(String)
        /// `$name`
        case variable(String)
        /// `@name`
        case collectionOperator(String)
        case argument(FormatArgument)
        case keyPathArgument(Int)
        case comparison(ComparisonOperator)
        case symbol(Symbol)
        case end
    }

    enum Symbol: String {
        case leftParenthesis = "("
        case rightParenthesis = ")"
        case leftBracket = "["
        case rightBracket = "]"
        case leftBrace = "{"
        case rightBrace = "}"
        case comma = ","
        case dot = "."
        case colon = ":"
        case assignment = ":="
        case plus = "+"
        case minus = "-"
        case times = "*"
        case divide = "/"
        case power = "**"
        case and = "&&"
        case or = "||"
        case not = "!"
    }

    var kind: Kind
    var range: Range<Int>

    /// The token's name, for messages.
    var description: String {
        switch kind {
        case .name(let name): "'\(name.shortened)'"
        case .keyword(_, let text): "'\(text)'"
        case .number: "a number"
        case .string: "a string"
        case .variable(let name): "'$\(name.shortened)'"
        case .collectionOperator(let name): "'@\(name.shortened)'"
        case .argument, .keyPathArgument: "an argument"
        case .comparison(let comparison): "'\(comparison.rawValue)'"
        case .symbol(let symbol): "'\(symbol.rawValue)'"
        case .end: "the end of the text"
        }
    }
}

extension String {
    /// The text, or its beginning if it is too long for a message.
    var shortened: String {
        unicodeScalars.count <= 60 ? self : String(String.UnicodeScalarView(unicodeScalars.prefix(59))) + "…"
    }
}
