extension ResolutionPass {
    /// Resolves the expression of a derived attribute: a copy of a value, a folded string, a count or sum, or the time.
    mutating func derivation(_ parsed: ParsedExpression) throws(PredicateFormatError) -> ResolvedExpression {
        if case .keyPath(_, let components) = parsed.kind {
            for component in components.dropLast() {
                guard case .collectionOperator(let known) = component.kind else { continue }
                let last = components.last?.description ?? ""
                throw PredicateFormatError(
                    .invalidDerivation, at: component.range,
                    "'@\(known.rawValue)' must be the last part of a derivation expression",
                    hint: "write it after '\(last.shortened)'")
            }
        }
        let resolved = try expression(parsed)
        let isDerivable: Bool
        switch resolved.kind {
        case .path(let path): isDerivable = isColumn(path)
        case .collectionOperator(.count, let path), .collectionOperator(.sum, let path):
            isDerivable = path.root == .evaluatedObject
        case .function(.now, _): isDerivable = true
        case .function(let known, let arguments):
            guard [.canonical, .uppercase, .lowercase].contains(known), case .path(let path) = arguments.first?.kind
            else {
                isDerivable = false
                break
            }
            isDerivable = isColumn(path)
        default: isDerivable = false
        }
        guard isDerivable else {
            throw PredicateFormatError(
                .invalidDerivation, at: parsed.range, "an attribute cannot be derived by this expression",
                hint:
                    "it can be name, author.name, canonical:(name), uppercase:(name), lowercase:(name), items.@count, "
                    + "items.price.@sum or now()")
        }
        return resolved
    }

    /// Returns whether a path leads from the object to one value.
    private func isColumn(_ path: ResolvedPath) -> Bool {
        guard case .value = path.type else { return false }
        return path.root == .evaluatedObject
    }
}
