import PredicateFormat

extension ModelChecker {
    /// The predicates of partial indexes and the expressions of index elements.
    mutating func checkIndexExpressions() {
        guard model.hasIndexExpressions else { return }
        let graph = ModelGraph(model)
        for entity in model.entities {
            for index in entity.indexes {
                let title = "Index '\(index.name)' of '\(entity.name)'"
                checkPredicate(of: index, title, entity, graph)
                for element in index.elements { check(element, of: index, title, entity, graph) }
            }
        }
    }

    private mutating func checkPredicate(of index: FetchIndex, _ title: String, _ entity: Entity, _ graph: ModelGraph) {
        guard let text = index.partialIndexPredicate else { return }
        if index.kind == .rtree {
            report(
                .invalidIndex, at: index.location, "\(title) is an R-tree, which cannot be partial",
                notes: ["Remove the predicate: an R-tree leaves out objects with a coordinate of nil anyway"])
        }
        if index.kind == .fullText {
            report(
                .invalidIndex, at: index.location, "\(title) is a full-text index, which cannot be partial",
                notes: ["Remove the predicate, and write it beside the search"])
        }
        report(graph.indexPredicate(text, of: entity).errors, in: index.predicateLocation, index.location, title)
    }

    private mutating func check(
        _ element: FetchIndex.Element, of index: FetchIndex, _ title: String, _ entity: Entity, _ graph: ModelGraph
    ) {
        guard let text = element.expression, element.propertyName == nil else { return }
        if index.kind == .rtree {
            report(
                .invalidIndex, at: element.location, "\(title) is an R-tree over an expression",
                notes: ["An R-tree holds stored numbers and dates; store the expression's value in an attribute"])
            return
        }
        if index.kind == .fullText {
            report(
                .invalidIndex, at: element.location, "\(title) is a full-text index over an expression",
                notes: ["Store the expression's text in an attribute, which may be a derived one"])
            return
        }
        let resolution = graph.indexExpression(text, of: entity)
        report(resolution.errors, in: element.expressionLocation, element.location, title)
        checkType(of: element, resolution.root?.type, title)
    }

    /// Only Core Data uses the declared type of an expression; SQLite needs none. A wrong one is still a mistake.
    private mutating func checkType(of element: FetchIndex.Element, _ type: ResolvedType?, _ title: String) {
        guard let name = element.expressionType, let type else { return }
        guard let declared = AttributeType(rawValue: name), let value = declared.valueType else {
            report(
                .invalidIndex, at: element.location, "\(title) has an expression of the unknown type '\(name)'",
                notes: ["The types are those of attributes, such as Integer 64 and String"])
            return
        }
        guard case .value(let found) = type else { return }
        if found == value || (found.isNumeric && value.isNumeric) { return }
        report(
            .invalidIndex, at: element.location,
            "\(title) has an expression of the type \(name), which it does not give",
            notes: ["Write the expression's own type, or leave expressionType out"])
    }

    private mutating func report(
        _ errors: [PredicateFormatError], in string: StringLocation?, _ fallback: SourceLocation, _ title: String
    ) {
        for error in errors {
            report(
                .invalidPredicate, at: string?.location(at: error.range.lowerBound) ?? fallback,
                "\(title): \(error.message)", notes: [error.note])
        }
    }
}

extension Model {
    /// Whether an index is partial or over an expression.
    package var hasIndexExpressions: Bool {
        entities.contains { entity in
            entity.indexes.contains { index in
                index.partialIndexPredicate != nil || index.elements.contains { $0.expression != nil }
            }
        }
    }
}

extension ModelGraph {
    /// Reads and resolves the predicate of a partial index.
    package func indexPredicate(_ text: String, of entity: Entity) -> Resolution<ResolvedPredicate> {
        do throws(PredicateFormatError) {
            let parsed = try ParsedPredicate(parsing: text, allowsArguments: false)
            return constant(PredicateResolver(schema: self, entity: entity.name).resolve(parsed))
        } catch {
            return Resolution(failing: error)
        }
    }

    /// Reads and resolves the expression of an index's element.
    package func indexExpression(_ text: String, of entity: Entity) -> Resolution<ResolvedExpression> {
        do throws(PredicateFormatError) {
            let parsed = try ParsedExpression(parsing: text, allowsArguments: false)
            return constant(PredicateResolver(schema: self, entity: entity.name).resolve(parsed))
        } catch {
            return Resolution(failing: error)
        }
    }

    /// An index is made once, so that its variables would never get values.
    private func constant<Root>(_ resolution: Resolution<Root>) -> Resolution<Root> {
        guard let name = resolution.variableNames.first, resolution.errors.isEmpty else { return resolution }
        var result = resolution
        result.root = nil
        result.errors = [
            PredicateFormatError(
                .unknownVariable, at: 0..<0, "an index cannot depend on the variable '$\(name)'",
                hint: "write a value in its place")
        ]
        return result
    }
}
