extension ComparisonResolver {
    /// Resolves `index MATCHES text`; false if the comparison is about something else.
    mutating func resolveFullText(_ pass: inout ResolutionPass) throws(PredicateFormatError) -> Bool {
        if right.type == .fullText || right.type.element == .fullText {
            throw PredicateFormatError(
                .invalidOperator, at: parsed.right.range,
                "'\(parsed.right.description.shortened)' is a full-text index, which stands on the left of MATCHES")
        }
        guard leftType == .fullText else { return false }
        let text = parsed.left.description.shortened
        guard parsed.operator == .matches, parsed.options.isEmpty else {
            throw PredicateFormatError(
                .invalidOperator, at: parsed.operatorRange,
                "'\(text)' is a full-text index, and \(name)\(parsed.options.isEmpty ? "" : "\(parsed.options)") has no "
                    + "meaning for it", hint: "write \(text) MATCHES \"words to find\"")
        }
        right = try pass.adopt(.value(.string), right)
        let isGiven =
            switch right.kind {
            case .constant, .variable, .argument: right.type == .value(.string)
            default: false
            }
        guard isGiven else {
            throw PredicateFormatError(
                .invalidOperator, at: parsed.right.range,
                "'\(text)' is a full-text index, which matches a string, but '\(parsed.right.description.shortened)' is "
                    + (right.type == .value(.string) ? "computed of the object" : right.type.phrase),
                hint: "write the words to find in quotes, or pass them")
        }
        return true
    }
}
