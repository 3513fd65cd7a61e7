extension ResolutionPass {
    /// Resolves a key path: the properties to follow, and a collection operator on their values.
    mutating func keyPath(
        _ base: ParsedExpression?, _ components: [KeyPathComponent], _ range: Range<Int>
    ) throws(PredicateFormatError) -> ResolvedExpression {
        var path = try start(base)
        for (index, component) in components.enumerated() {
            switch component.kind {
            case .property("name") where index > 0 && isEntity(components[index - 1], of: path):
                followEntityName(&path, components[index - 1].range.lowerBound..<component.range.upperBound)
            case .property where isEntity(component, of: path):
                if index + 1 < components.count, components[index + 1].kind == .property("name") { continue }
                throw PredicateFormatError(
                    .unsupported, at: component.range, "a store has only names of entities", hint: "write entity.name")
            case .property(let name):
                let isLast = index == components.count - 1
                if isLast, name == "length", path.type == .value(.string) {
                    let operand = ResolvedExpression(kind: .path(path), type: path.type, range: range)
                    return ResolvedExpression(
                        kind: .function(.length, arguments: [operand]), type: .value(.integer64), range: range)
                }
                try follow(name, &path, component.range)
            case .collectionOperator(let known):
                return try collectionOperator(
                    known, path, following: components[(index + 1)...], component.range, range)
            case .argument:
                throw PredicateFormatError(
                    .syntax, at: component.range, "the key path of '%K' is not known yet")
            }
        }
        return ResolvedExpression(kind: .path(path), type: path.type, range: range)
    }

    private mutating func start(_ base: ParsedExpression?) throws(PredicateFormatError) -> ResolvedPath {
        guard let base else { return ResolvedPath(root: .evaluatedObject, steps: [], type: .object(entity: entity)) }
        var resolved = try expression(base)
        if case .path(let path) = resolved.kind { return path }
        resolved.type = knownType(of: resolved)
        if resolved.type == .unknown {
            throw PredicateFormatError(
                .unknownVariable, at: base.range,
                "the type of '\(base.description.shortened)' is not known, so its "
                    + "properties are not", hint: "compare the object itself with a relationship")
        }
        return ResolvedPath(root: .expression(resolved), steps: [], type: resolved.type)
    }

    /// Adds a property to a path.
    private mutating func follow(
        _ name: String, _ path: inout ResolvedPath, _ range: Range<Int>
    ) throws(PredicateFormatError) {
        let isMany = path.type.element != nil
        let owner: PropertyOwner
        switch path.type.element ?? path.type {
        case .object(let entity): owner = .entity(entity)
        case .composite(let composite): owner = .composite(composite)
        default:
            let before = path.steps.last.map { "'\($0.name.shortened)'" } ?? "the value"
            throw PredicateFormatError(
                .unknownProperty, at: range,
                "\(before) is \((path.type.element ?? path.type).phrase) and has no property '\(name.shortened)'")
        }
        guard let property = schema.property(named: name, of: owner) else {
            if name == "self" || name == "objectID", case .entity = owner { return }
            throw unknownProperty(name, owner, path, range)
        }
        var type: ResolvedType
        switch property {
        case .attribute(let value): type = .value(value)
        case .composite(let composite): type = .composite(name: composite)
        case .toOne(let destination): type = .object(entity: destination)
        case .toMany(let destination, _): type = .collection(of: .object(entity: destination))
        case .fullText: type = .fullText
        case .entityName: type = .value(.string)
        case .unusable(let reason):
            throw PredicateFormatError(
                .unusableProperty, at: range,
                "'\(name.shortened)' of \(owner.name.shortened) cannot be used in a predicate, because \(reason)")
        }
        if isMany, type.element == nil { type = .collection(of: type) }
        path.steps.append(ResolvedPath.Step(name: name, owner: owner, property: property, range: range))
        path.type = type
        names.append(ResolvedName(kind: .property(of: owner), name: name, range: range))
    }

    /// Notes the strings that a comparison takes for names of entities.
    mutating func noteEntityNames(_ path: ResolvedExpression, _ value: ResolvedExpression) {
        guard case .path(let found) = path.kind, case .entityName(let known)? = found.steps.last?.property else {
            return
        }
        switch value.kind {
        case .constant(.string(let name)) where known.contains(name):
            names.append(ResolvedName(kind: .entity, name: name, range: value.range))
        case .aggregate(let elements):
            for element in elements { noteEntityNames(path, element) }
        default: break
        }
    }

    /// Returns whether a name is that of an object's entity, which every object has unless the model gives the name to
    /// a property.
    private func isEntity(_ component: KeyPathComponent, of path: ResolvedPath) -> Bool {
        guard component.kind == .property("entity"), case .object(let name) = path.type.element ?? path.type else {
            return false
        }
        return schema.property(named: "entity", of: .entity(name)) == nil
    }

    /// Adds the name of an object's entity to a path.
    private func followEntityName(_ path: inout ResolvedPath, _ range: Range<Int>) {
        guard case .object(let name) = path.type.element ?? path.type else { return }
        let property = PropertyDescription.entityName(schema.entityNames(kindOf: name))
        path.steps.append(
            ResolvedPath.Step(name: "entity.name", owner: .entity(name), property: property, range: range))
        path.type = path.type.element == nil ? .value(.string) : .collection(of: .value(.string))
    }

    private func unknownProperty(
        _ name: String, _ owner: PropertyOwner, _ path: ResolvedPath, _ range: Range<Int>
    ) -> PredicateFormatError {
        var hint = NameSuggestion.hint(for: name, among: schema.propertyNames(of: owner))
        if path.type.element != nil, let known = CollectionOperator(rawValue: name.lowercased()) {
            hint = "did you mean '@\(known.rawValue)'?"
        }
        if path.steps.isEmpty, let scope = scopes.last, path.root == .evaluatedObject,
            case .object(let element) = scope.type, schema.property(named: name, of: .entity(element)) != nil
        {
            hint = "within SUBQUERY, a property of the element is written $\(scope.name).\(name)"
        }
        return PredicateFormatError(
            .unknownProperty, at: range, "\(owner.name.shortened) has no property '\(name.shortened)'", hint: hint)
    }

    // MARK: Collections

    /// Resolves a collection operator and the names after it, which KVC writes there and a store before it.
    private mutating func collectionOperator(
        _ known: CollectionOperator, _ path: ResolvedPath, following rest: ArraySlice<KeyPathComponent>,
        _ operatorRange: Range<Int>, _ range: Range<Int>
    ) throws(PredicateFormatError) -> ResolvedExpression {
        guard path.type.element != nil else {
            throw PredicateFormatError(
                .toMany, at: operatorRange, "'@\(known.rawValue)' needs a to-many relationship before it")
        }
        var path = path
        for component in rest {
            guard case .property(let name) = component.kind else {
                throw PredicateFormatError(
                    .toMany, at: component.range, "one key path has room for one collection operator",
                    hint: "write SUBQUERY for the inner one")
            }
            if known == .count {
                throw PredicateFormatError(
                    .unknownProperty, at: component.range,
                    "'@count' is a number and has no property '\(name.shortened)'")
            }
            try follow(name, &path, component.range)
        }
        return try applying(known, to: path, operatorRange, range)
    }

    /// Makes one value of a path with one to-many relationship.
    func applying(
        _ known: CollectionOperator, to path: ResolvedPath, _ operatorRange: Range<Int>, _ range: Range<Int>
    ) throws(PredicateFormatError) -> ResolvedExpression {
        guard path.collectionCount == 1, let element = path.type.element else {
            throw PredicateFormatError(
                .toMany, at: operatorRange, "'@\(known.rawValue)' needs exactly one to-many relationship before it",
                hint: "write SUBQUERY for the others")
        }
        let type: ResolvedType
        switch (known, element) {
        case (.count, .object): type = .value(.integer64)
        case (.count, _) where path.steps.isEmpty: type = .value(.integer64)
        case (.count, _):
            throw PredicateFormatError(
                .toMany, at: operatorRange, "'@count' counts objects, and not the values of one of their attributes",
                hint: "write '@count' after the relationship")
        case (.sum, .value(let value)) where value.isNumeric:
            type = .value(value.isInteger ? .integer64 : value == .decimal ? .decimal : .double)
        case (.avg, .value(let value)) where value.isNumeric: type = .value(value == .decimal ? .decimal : .double)
        case (.min, .value(let value)) where value.isOrdered: type = element
        case (.max, .value(let value)) where value.isOrdered: type = element
        case (.sum, _), (.avg, _), (.min, _), (.max, _):
            throw PredicateFormatError(
                .invalidOperator, at: operatorRange, "'@\(known.rawValue)' has no meaning for \(element.phrase)",
                hint: element.isObject ? "name the attribute, as in items.@\(known.rawValue).price" : nil)
        default:
            throw PredicateFormatError(
                .unsupported, at: operatorRange, "'@\(known.rawValue)' cannot be computed by a store",
                hint: "the operators are @count, @sum, @avg, @min and @max")
        }
        return ResolvedExpression(kind: .collectionOperator(known, of: path), type: type, range: range)
    }
}

extension ResolvedPath {
    /// The number of to-many relationships on the path.
    public var collectionCount: Int {
        var count = steps.count { if case .toMany = $0.property { true } else { false } }
        if case .expression(let expression) = root, expression.type.element != nil { count += 1 }
        return count
    }
}

extension ResolvedType {
    var isObject: Bool {
        if case .object = self { true } else { false }
    }
}
