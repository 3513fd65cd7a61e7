extension ParsedPredicate {
    /// The same predicate with every range empty, so that two predicates can be compared without regard to their texts.
    public var withoutRanges: ParsedPredicate { RangeRemover().rewrite(self) }

    /// The number of arguments that the placeholders need.
    public var argumentCount: Int {
        var counter = ArgumentCounter()
        return counter.count(in: self)
    }

    /// The same predicate with literals in the places of key paths that begin at a variable, such as
    /// `$FETCHED_PROPERTY.userInfo.limit`; the closure is given the names, and nil leaves a path as it is.
    public func replacingKeyPaths(ofVariable name: String, by value: ([String]) -> Constant?) -> ParsedPredicate {
        var replacement = VariableReplacement(name: name)
        return withoutActuallyEscaping(value) { value in
            replacement.value = value
            defer { replacement.value = nil }
            return replacement.rewrite(self)
        }
    }

    /// The same predicate with key paths in the places of `%K`.
    ///
    /// Every placeholder `%K` without a given argument is an error, and so is text that is not a key path.
    public func replacingKeyPathArguments(_ keyPaths: [Int: String]) throws(PredicateFormatError) -> ParsedPredicate {
        var replacement = KeyPathReplacement(keyPaths: keyPaths)
        let result = replacement.rewrite(self)
        if let error = replacement.error { throw error }
        return result
    }
}

extension ParsedExpression {
    /// The same expression with every range empty, so that two expressions can be compared without regard to their
    /// texts.
    public var withoutRanges: ParsedExpression { RangeRemover().rewrite(self) }

    /// The same expression with key paths in the places of `%K`.
    public func replacingKeyPathArguments(_ keyPaths: [Int: String]) throws(PredicateFormatError) -> ParsedExpression {
        var replacement = KeyPathReplacement(keyPaths: keyPaths)
        let result = replacement.rewrite(self)
        if let error = replacement.error { throw error }
        return result
    }
}

private struct RangeRemover: Rewriter {
    func range(_ range: Range<Int>) -> Range<Int> { 0..<0 }

    func components(_ components: [KeyPathComponent]) -> [KeyPathComponent] {
        components.map { KeyPathComponent($0.kind) }
    }

    /// The rewriter has no state that a rewriting could change.
    func rewrite(_ predicate: ParsedPredicate) -> ParsedPredicate {
        var copy = self
        return copy.rewritten(predicate)
    }

    func rewrite(_ expression: ParsedExpression) -> ParsedExpression {
        var copy = self
        return copy.rewritten(expression)
    }
}

private struct KeyPathReplacement: Rewriter {
    let keyPaths: [Int: String]
    var error: PredicateFormatError?

    func range(_ range: Range<Int>) -> Range<Int> { range }

    mutating func components(_ components: [KeyPathComponent]) -> [KeyPathComponent] {
        var result: [KeyPathComponent] = []
        for component in components {
            guard case .argument(let index) = component.kind else {
                result.append(component)
                continue
            }
            do throws(PredicateFormatError) {
                guard let keyPath = keyPaths[index] else {
                    throw PredicateFormatError(
                        .argumentCount, at: component.range, "there is no key path for argument \(index + 1)")
                }
                result += try KeyPathComponent.components(of: keyPath, range: component.range)
            } catch {
                self.error = self.error ?? error
            }
        }
        return result
    }

    mutating func rewrite(_ predicate: ParsedPredicate) -> ParsedPredicate { rewritten(predicate) }
    mutating func rewrite(_ expression: ParsedExpression) -> ParsedExpression { rewritten(expression) }
}

private struct ArgumentCounter: Rewriter {
    private var count = 0

    func range(_ range: Range<Int>) -> Range<Int> { range }

    mutating func components(_ components: [KeyPathComponent]) -> [KeyPathComponent] {
        for case .argument(let index) in components.map(\.kind) { count = max(count, index + 1) }
        return components
    }

    mutating func argument(_ argument: FormatArgument) { count = max(count, argument.index + 1) }

    mutating func count(in predicate: ParsedPredicate) -> Int {
        _ = rewritten(predicate)
        return count
    }
}

private struct VariableReplacement: Rewriter {
    let name: String
    var value: (([String]) -> Constant?)?

    func range(_ range: Range<Int>) -> Range<Int> { range }

    func components(_ components: [KeyPathComponent]) -> [KeyPathComponent] { components }

    func replacement(of base: ParsedExpression?, _ components: [KeyPathComponent]) -> ParsedExpression.Kind? {
        guard base?.kind == .variable(name) else { return nil }
        var names: [String] = []
        for component in components {
            guard case .property(let name) = component.kind else { return nil }
            names.append(name)
        }
        return value?(names).map { .constant($0) }
    }

    mutating func rewrite(_ predicate: ParsedPredicate) -> ParsedPredicate { rewritten(predicate) }
}

/// Makes a tree anew with some parts replaced.
private protocol Rewriter {
    /// Returns the replacement of a key path; nil if it stays.
    func replacement(of base: ParsedExpression?, _ components: [KeyPathComponent]) -> ParsedExpression.Kind?
    /// Receives each placeholder for a value.
    mutating func argument(_ argument: FormatArgument)
    mutating func range(_ range: Range<Int>) -> Range<Int>
    mutating func components(_ components: [KeyPathComponent]) -> [KeyPathComponent]
}

extension Rewriter {
    fileprivate mutating func argument(_ argument: FormatArgument) {}

    fileprivate func replacement(
        of base: ParsedExpression?, _ components: [KeyPathComponent]
    ) -> ParsedExpression.Kind? { nil }

    fileprivate mutating func rewritten(_ predicate: ParsedPredicate) -> ParsedPredicate {
        let kind: ParsedPredicate.Kind
        switch predicate.kind {
        case .value: kind = predicate.kind
        case .not(let operand): kind = .not(rewritten(operand))
        case .and(let operands): kind = .and(operands.map { rewritten($0) })
        case .or(let operands): kind = .or(operands.map { rewritten($0) })
        case .comparison(var comparison):
            comparison.left = rewritten(comparison.left)
            comparison.right = rewritten(comparison.right)
            comparison.operatorRange = range(comparison.operatorRange)
            kind = .comparison(comparison)
        }
        return ParsedPredicate(kind, range: range(predicate.range))
    }

    fileprivate mutating func rewritten(_ expression: ParsedExpression) -> ParsedExpression {
        ParsedExpression(rewritten(expression.kind), range: range(expression.range))
    }

    private mutating func rewritten(_ kind: ParsedExpression.Kind) -> ParsedExpression.Kind {
        switch kind {
        case .constant, .evaluatedObject, .variable: return kind
        case .argument(let argument):
            self.argument(argument)
            return kind
        case .keyPath(let base, let names):
            if let replacement = replacement(of: base, names) { return replacement }
            return .keyPath(base: base.map { rewritten($0) }, components: components(names))
        case .aggregate(let elements): return .aggregate(elements.map { rewritten($0) })
        case .arithmetic(let join, let left, let right): return .arithmetic(join, rewritten(left), rewritten(right))
        case .negation(let operand): return .negation(rewritten(operand))
        case .set(let join, let left, let right): return .set(join, rewritten(left), rewritten(right))
        case .function(let function, let arguments):
            return .function(function, arguments: arguments.map { rewritten($0) })
        case .message(let selector, let target, let arguments):
            return .message(
                selector: selector, target: rewritten(target), arguments: arguments.map { rewritten($0) })
        case .subquery(let collection, let variable, let predicate):
            return .subquery(rewritten(collection), variable: variable, rewritten(predicate))
        case .conditional(let condition, let first, let second):
            return .conditional(rewritten(condition), rewritten(first), rewritten(second))
        case .cast(let operand, let type): return .cast(rewritten(operand), type: type)
        case .element(let collection, .at(let index)): return .element(rewritten(collection), .at(rewritten(index)))
        case .element(let collection, let index): return .element(rewritten(collection), index)
        }
    }
}
