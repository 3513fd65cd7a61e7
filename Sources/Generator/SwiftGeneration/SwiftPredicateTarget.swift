import DataModel
import PredicateFormat

/// Writes the code that builds a predicate's tree.
struct SwiftPredicateTarget: PredicateTarget {
    /// The code for an object.
    enum Row {
        /// The columns of a row of the store.
        case stored(String, Entity)
        /// An expression of an object, which may be nil.
        case given(String, Entity, isOptional: Bool)
    }

    /// The code for the objects of a relationship.
    enum Related {
        case stored(SwiftCode, Entity)
        case given(String, Entity)
    }

    let model: ModelLayout
    let entity: Entity
    /// The name of the variable with the columns of the object that the predicate tests.
    let row: String
    /// The name of the object that has the fetched property.
    let source: String?
    /// The names of the predicate's variables in the code.
    let variables: [String: String]
    /// Counts the closures around the code, which distinguishes their parameters.
    private let nesting = Nesting()

    private final class Nesting {
        var depth = 0
    }

    init(
        model: ModelLayout, entity: Entity, row: String, source: String? = nil, variables: [String: String] = [:]
    ) {
        self.variables = variables
        self.model = model
        self.entity = entity
        self.row = row
        self.source = source
    }

    private func entity(_ name: String) throws -> Entity {
        guard let entity = model.graph.entity(named: name) else {
            throw PredicateFormatError(.unknownProperty, at: 0..<0, "there is no entity '\(name)'")
        }
        return entity
    }

    func name(of source: PredicateValueSource) -> String {
        switch source.kind {
        case .variable("FETCH_SOURCE"): self.source ?? "FETCH_SOURCE"
        case .variable(let name): variables[name] ?? SwiftName.property(name)
        case .argument(let argument): "argument\(argument.index)"
        }
    }

    // MARK: Objects

    var evaluatedObject: Row { .stored(row, entity) }

    func object(_ source: PredicateValueSource, entity: String) throws -> Row {
        .given(name(of: source), try self.entity(entity), isOptional: false)
    }

    func following(_ step: ResolvedPath.Step, from row: Row) throws -> Row {
        guard case .toOne(let destination) = step.property else { return row }
        let name = SwiftName.property(step.name)
        let next = try entity(destination)
        switch row {
        case .stored(let code, _): return .stored("\(code).\(name)", next)
        case .given(let code, _, let isOptional):
            return .given("\(code)\(isOptional ? "?" : "").\(name)", next, isOptional: true)
        }
    }

    func casting(_ row: Row, to name: String) throws -> Row {
        let target = try entity(name)
        guard case .stored(let code, _) = row else { return row }
        return .stored("\(code).as(\(model.className(target)).self)", target)
    }

    func identifier(of row: Row) -> SwiftCode {
        switch row {
        case .given(let code, _, _): return .text("._ashlarIdentifier(of: \(code))")
        case .stored(let code, _): return .text("\(code)._ashlarIdentifier")
        }
    }

    func attribute(_ steps: ArraySlice<ResolvedPath.Step>, of row: Row) throws -> SwiftCode {
        let names = steps.map { step in
            if case .fullText = step.property { return SwiftName.fullText(step.name) }
            return SwiftName.property(step.name)
        }.joined(separator: ".")
        switch row {
        case .stored(let code, let entity): return .text(column(names, of: code, entity, steps))
        case .given(let object, let entity, _):
            let columns = "\(model.className(entity))._ashlarColumns"
            return .text("._ashlarValue(\(column(names, of: columns, entity, steps)), of: \(object))")
        }
    }

    /// The expression of an attribute. An attribute without a column to compare with, such as JSON, can still be
    /// compared with nil.
    private func column(
        _ names: String, of row: String, _ entity: Entity, _ steps: ArraySlice<ResolvedPath.Step>
    ) -> String {
        if steps.count == 1, let step = steps.first, let layout = model.layout(of: entity),
            let column = layout.columns.first(where: { $0.modelName == step.name && $0.isColumnless })
        {
            return "\(row)._ashlarStored(\(column.index), \(SwiftName.literal(column.stored.name)))"
        }
        return "\(row).\(names)._ashlarExpression"
    }

    // MARK: Relationships to many

    func related(_ step: ResolvedPath.Step, from row: Row) throws -> Related {
        guard case .toMany(let destination, _) = step.property else {
            throw PredicateFormatError(.toMany, at: step.range, "'\(step.name)' does not lead to many")
        }
        let name = SwiftName.property(step.name)
        switch row {
        case .stored(let code, _): return .stored(.text("\(code).\(name)"), try entity(destination))
        case .given(let code, _, let isOptional):
            let objects = isOptional ? "(\(code)?.\(name).array ?? [])" : "\(code).\(name).array"
            return .given(objects, try entity(destination))
        }
    }

    /// A closure about one of the objects.
    private func closure(_ call: SwiftCode, _ body: (String) throws -> SwiftCode) rethrows -> SwiftCode {
        nesting.depth += 1
        defer { nesting.depth -= 1 }
        var name = "element\(nesting.depth)"
        while variables.values.contains(name) { name += "_" }
        return .closure(call, name, try body(name))
    }

    func filtering(_ related: Related, _ condition: (Row) throws -> SwiftCode) throws -> Related {
        guard case .stored(let code, let entity) = related else { return related }
        let call = SwiftCode.wrapped("", code, "._ashlarFilter")
        return .stored(try closure(call) { try condition(.stored($0, entity)) }, entity)
    }

    func any(_ related: Related, _ condition: (Row) throws -> SwiftCode) throws -> SwiftCode {
        try quantified(related, "._ashlarAny", ".or(", condition)
    }

    func all(_ related: Related, _ condition: (Row) throws -> SwiftCode) throws -> SwiftCode {
        try quantified(related, "._ashlarAll", ".and(", condition)
    }

    private func quantified(
        _ related: Related, _ function: String, _ join: String, _ condition: (Row) throws -> SwiftCode
    ) throws -> SwiftCode {
        switch related {
        case .stored(let code, let entity):
            return try closure(.wrapped("", code, function)) { try condition(.stored($0, entity)) }
        case .given(let code, let entity):
            let terms = try closure(.text("\(code).map")) { try condition(.given($0, entity, isOptional: false)) }
            return .wrapped(join, terms, ")")
        }
    }

    func aggregate(
        _ collectionOperator: CollectionOperator, _ related: Related, _ value: (Row) throws -> SwiftCode
    ) throws -> SwiftCode {
        guard case .stored(let code, let entity) = related else { throw Self.unsupported }
        let aggregate: String
        switch collectionOperator {
        case .sum: aggregate = ".sum"
        case .avg: aggregate = ".average"
        case .min: aggregate = ".minimum"
        case .max: aggregate = ".maximum"
        default: return .wrapped("", code, ".count._ashlarExpression")
        }
        return try closure(.wrapped("", code, "._ashlarAggregate(\(aggregate))")) { try value(.stored($0, entity)) }
    }

    func element(
        _ position: ElementPosition, of related: Related, _ value: (Row) throws -> SwiftCode
    ) throws -> SwiftCode {
        guard case .stored(let code, let entity) = related else { throw Self.unsupported }
        let place =
            switch position {
            case .first: ".first"
            case .last: ".last"
            case .at(let index): ".at(\(index))"
            }
        return try closure(.wrapped("", code, "._ashlarElement(\(place))")) { try value(.stored($0, entity)) }
    }

    /// ``PredicateTrial`` refuses every predicate that would cause this error.
    private static var unsupported: PredicateFormatError {
        PredicateFormatError(.unsupported, at: 0..<0, "this is not known of the object that a variable stands for")
    }
}

extension EntityLayout.SelectedColumn {
    /// Whether the attribute has no column in the entity's `Columns`.
    fileprivate var isColumnless: Bool {
        if case .attribute(let attribute) = stored.content { !AttributeCode(attribute).hasCoding } else { false }
    }
}
