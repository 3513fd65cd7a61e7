extension ModelEdit {
    /// An element of an index: a property, the key path of a composite's attribute, or an expression.
    public struct IndexElement: Sendable, Hashable {
        /// The property, the key path or the expression.
        public var property: String
        public var isAscending: Bool
        /// The type of an expression's values, such as `String`; nil for the one that the expression has.
        public var expressionType: String?

        public init(_ property: String, isAscending: Bool = true, expressionType: String? = nil) {
            (self.property, self.isAscending, self.expressionType) = (property, isAscending, expressionType)
        }

        /// Reads a text such as `likes:descending` or `lowercase:(title)`; nil if it is empty, or has another order.
        public init?(parsing text: String) {
            var text = text[...]
            isAscending = true
            for (order, isAscending) in [(":ascending", true), (":descending", false)] where text.hasSuffix(order) {
                text = text.dropLast(order.count)
                self.isAscending = isAscending
                break
            }
            property = String(text).withoutOuterSpace
            if property.isEmpty || isExpression && !property.contains("(") && property.contains(":") { return nil }
        }

        /// Whether the text is an expression: a path has names alone.
        var isExpression: Bool {
            expressionType != nil
                || !property.split(separator: ".", omittingEmptySubsequences: false).allSatisfy {
                    SQLiteName.isLegal(String($0))
                }
        }

        /// The order as the format has it.
        var order: String { isAscending ? "ascending" : "descending" }

        /// The texts of elements in a list, whose commas within brackets and quotation marks separate nothing.
        public static func texts(in list: String) -> [String] {
            var result: [String] = []
            var current = ""
            var depth = 0
            var quote: Character?
            var isEscaped = false
            for character in list {
                if let open = quote {
                    if character == open, !isEscaped { quote = nil }
                    isEscaped = character == "\\" && !isEscaped
                } else if character == "\"" || character == "'" {
                    quote = character
                } else if "([{".contains(character) {
                    depth += 1
                } else if ")]}".contains(character) {
                    depth -= 1
                } else if character == ",", depth <= 0 {
                    result.append(current)
                    current = ""
                    continue
                }
                current.append(character)
            }
            return (result + [current]).map(\.withoutOuterSpace).filter { !$0.isEmpty }
        }

        /// The name for an index of elements that its author gives none: `byLikesTitle`.
        public static func indexName(of elements: [IndexElement]) -> String {
            let words = elements.flatMap { $0.property.split { !$0.isLetter && !$0.isNumber && $0 != "_" } }
            return "by" + words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        }
    }
}

extension String {
    fileprivate var withoutOuterSpace: String {
        var text = self[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
