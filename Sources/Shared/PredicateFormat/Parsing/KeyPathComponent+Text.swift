extension KeyPathComponent {
    /// The components of a key path that is a value of its own, where no name is a keyword.
    static func components(of text: String, range: Range<Int>) throws(PredicateFormatError) -> [KeyPathComponent] {
        var components: [KeyPathComponent] = []
        for part in text.split(separator: ".", omittingEmptySubsequences: false) {
            guard part.hasPrefix("@") else {
                guard isName(part) else {
                    throw PredicateFormatError(
                        .syntax, at: range, "'\(text.shortened)' is not a key path",
                        hint: "names are joined by '.', as in author.name")
                }
                components.append(KeyPathComponent(.property(String(part)), range: range))
                continue
            }
            guard let known = CollectionOperator(rawValue: String(part.dropFirst())) else {
                throw PredicateFormatError(
                    .unknownFunction, at: range, "'\(String(part).shortened)' is not a collection operator")
            }
            components.append(KeyPathComponent(.collectionOperator(known), range: range))
        }
        return components
    }

    /// Returns whether the lexer reads a text as a name, so that printed text can be read again.
    private static func isName(_ text: Substring) -> Bool {
        guard let first = text.unicodeScalars.first, first == "_" || first.properties.isXIDStart else { return false }
        return text.unicodeScalars.allSatisfy { $0.properties.isXIDContinue }
    }
}
