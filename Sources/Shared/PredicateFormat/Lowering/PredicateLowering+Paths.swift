extension PredicateLowering {
    typealias Steps = ArraySlice<ResolvedPath.Step>

    // MARK: One value

    func value(of path: ResolvedPath) throws -> Target.Expression {
        if case .expression(let root) = path.root, case .element(let collection, let index) = root.kind {
            return try element(collection, index, root, then: path.steps[...])
        }
        return try value(of: path.steps[...], from: try row(path.root))
    }

    private func value(of steps: Steps, from row: Target.Row) throws -> Target.Expression {
        var row = row
        for index in steps.indices {
            switch steps[index].property {
            case .toOne: row = try target.following(steps[index], from: row)
            case .toMany: throw many(steps[index])
            default: return try attribute(steps[index...], of: row)
            }
        }
        return try target.identifier(of: row)
    }

    /// The value of an attribute, or the name of the object's entity.
    private func attribute(_ steps: Steps, of row: Target.Row) throws -> Target.Expression {
        guard case .entityName(let names) = steps.first?.property else { return try target.attribute(steps, of: row) }
        // The most specific entity is tested first. Without an object, there is no name.
        var name = try target.constant(.null, as: .value(.string))
        for kind in names.reversed() {
            let object = kind == names.last ? row : try target.casting(row, to: kind)
            let isKind = target.comparison(
                try target.identifier(of: object), .notEqualTo, try target.constant(.null, as: .object(entity: kind)))
            name = target.conditional(isKind, try target.constant(.string(kind), as: .value(.string)), name)
        }
        return name
    }

    private func many(_ step: ResolvedPath.Step) -> PredicateFormatError {
        PredicateFormatError(.toMany, at: step.range, "one value is needed here, but '\(step.name)' leads to many")
    }

    /// The object that an expression gives.
    func row(_ expression: ResolvedExpression) throws -> Target.Row {
        if let source = expression.source, case .object(let entity) = expression.type {
            return try target.object(source, entity: entity)
        }
        switch expression.kind {
        case .path(let path):
            var row = try row(path.root)
            for step in path.steps { row = try follow(step, from: row) }
            return row
        case .cast(let operand):
            guard case .object(let entity) = expression.type else { break }
            return try target.casting(try row(operand), to: entity)
        default: break
        }
        throw unsupported("a store cannot follow properties from here", expression)
    }

    private func row(_ root: ResolvedPath.Root) throws -> Target.Row {
        switch root {
        case .evaluatedObject: return target.evaluatedObject
        case .subqueryVariable(let name):
            guard let row = scopes[name] else {
                throw PredicateFormatError(.unknownVariable, at: 0..<0, "'$\(name)' is not a variable of a SUBQUERY")
            }
            return row
        case .expression(let expression): return try row(expression)
        }
    }

    private func follow(_ step: ResolvedPath.Step, from row: Target.Row) throws -> Target.Row {
        guard case .toOne = step.property else { throw many(step) }
        return try target.following(step, from: row)
    }

    // MARK: Many values

    /// The number of values for which a condition must hold.
    enum Quantifier { case any, all }

    /// Whether a condition holds for one of the values that an expression gives, or for all of them.
    func quantified(
        _ expression: ResolvedExpression, _ quantifier: Quantifier,
        _ body: (Target.Expression) throws -> Target.Expression
    ) throws -> Target.Expression {
        switch expression.kind {
        case .path(let path):
            if case .expression(let root) = path.root, root.type.element != nil {
                let (related, rest) = try self.related(path)
                return try quantified(related, quantifier) { try quantified(rest, from: $0, quantifier, body) }
            }
            return try quantified(path.steps[...], from: try row(path.root), quantifier, body)
        case .subquery:
            let (related, rest) = try self.related(
                ResolvedPath(root: .expression(expression), steps: [], type: expression.type))
            return try quantified(related, quantifier) { try quantified(rest, from: $0, quantifier, body) }
        default: throw unsupported("a store cannot look through these values", expression)
        }
    }

    private func quantified(
        _ steps: Steps, from row: Target.Row, _ quantifier: Quantifier,
        _ body: (Target.Expression) throws -> Target.Expression
    ) throws -> Target.Expression {
        var row = row
        for index in steps.indices {
            let step = steps[index]
            switch step.property {
            case .toOne: row = try target.following(step, from: row)
            case .toMany:
                return try quantified(try target.related(step, from: row), quantifier) {
                    try quantified(steps[(index + 1)...], from: $0, quantifier, body)
                }
            default: return try body(try attribute(steps[index...], of: row))
            }
        }
        return try body(try target.identifier(of: row))
    }

    private func quantified(
        _ related: Target.Related, _ quantifier: Quantifier, _ condition: (Target.Row) throws -> Target.Expression
    ) throws -> Target.Expression {
        switch quantifier {
        case .any: try target.any(related, condition)
        case .all: try target.all(related, condition)
        }
    }

    /// The one to-many relationship of a path, and the steps after it.
    func related(_ path: ResolvedPath) throws -> (Target.Related, Steps) {
        if case .expression(let root) = path.root, case .subquery(let inner, let variable, let predicate) = root.kind {
            let (related, rest) = try self.related(inner)
            let filtered = try target.filtering(related) { row in
                var lowering = self
                var element = row
                for step in rest { element = try follow(step, from: element) }
                lowering.scopes[variable] = element
                return try lowering.condition(predicate)
            }
            return (filtered, rest + path.steps)
        }
        var row = try row(path.root)
        for (index, step) in path.steps.enumerated() {
            if case .toMany = step.property {
                return (try target.related(step, from: row), path.steps[(index + 1)...])
            }
            row = try follow(step, from: row)
        }
        throw PredicateFormatError(
            .toMany, at: path.steps.last?.range ?? 0..<0, "a to-many relationship is needed here")
    }

    func value(_ known: CollectionOperator, of path: ResolvedPath) throws -> Target.Expression {
        let (related, rest) = try self.related(path)
        return try target.aggregate(known, related) { try value(of: rest, from: $0) }
    }

    /// A value of one element of a collection, which further steps can lead to.
    func element(
        _ collection: ResolvedExpression, _ index: ResolvedIndex, _ expression: ResolvedExpression,
        then steps: Steps = []
    ) throws -> Target.Expression {
        if case .aggregate(let elements) = collection.kind { return try element(elements, index, expression) }
        let path =
            switch collection.kind {
            case .path(let path): path
            default: ResolvedPath(root: .expression(collection), steps: [], type: collection.type)
            }
        let (related, rest) = try self.related(path)
        let position: ElementPosition
        switch index {
        case .size: return try target.aggregate(.count, related) { try target.identifier(of: $0) }
        case .first: position = .first
        case .last: position = .last
        case .at(let place): position = .at(try constantIndex(place))
        }
        return try target.element(position, of: related) { try value(of: rest + steps, from: $0) }
    }

    private func element(
        _ elements: [ResolvedExpression], _ index: ResolvedIndex, _ expression: ResolvedExpression
    ) throws -> Target.Expression {
        let place: Int
        switch index {
        case .size: return try target.constant(.integer(Int64(elements.count)), as: .value(.integer64))
        case .first: place = 0
        case .last: place = elements.count - 1
        case .at(let position): place = try constantIndex(position)
        }
        guard elements.indices.contains(place) else { return try target.constant(.null, as: expression.type) }
        return try value(elements[place], as: expression.type)
    }

    private func constantIndex(_ index: ResolvedExpression) throws -> Int {
        guard case .constant(.integer(let number)) = index.kind else {
            throw unsupported("an index is a number here, and not computed", index)
        }
        return Int(clamping: number)
    }
}
