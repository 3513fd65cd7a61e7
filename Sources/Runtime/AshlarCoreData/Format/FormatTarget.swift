@_spi(Generated) import Ashlar
import PredicateFormat
import SystemFoundation

/// Builds the tree of a format string's condition, with the values of its arguments and variables.
struct FormatTarget: PredicateTarget {
    /// A row in a condition, or an object that was given.
    enum Row {
        case path(ColumnPath, EntityDescription)
        case object(ManagedObject?, EntityDescription)
        /// Some object with a known entity.
        case assumed(EntityDescription)
    }

    enum Related {
        case rows(RelatedRows, EntityDescription)
        case objects([ManagedObject], EntityDescription)
        /// Some objects with a known entity.
        case assumed(EntityDescription)
    }

    let schema: DescriptionSchema
    let arguments: [PredicateValue]
    let variables: [String: PredicateValue]
    /// Whether no values are given yet. Any value is then assumed: not nil, and two for a list.
    var assumesValues = false

    private func entity(_ name: String, _ range: Range<Int>) throws -> EntityDescription {
        guard let entity = schema.entity(named: name) else {
            throw PredicateFormatError(.unknownProperty, at: range, "there is no entity '\(name)' in the model")
        }
        return entity
    }

    // MARK: Objects

    var evaluatedObject: Row { .path(ColumnPath(table: schema.root.tableName), schema.root) }

    func object(_ source: PredicateValueSource, entity: String) throws -> Row {
        let description = try self.entity(entity, source.range)
        if assumesValues { return .assumed(description) }
        switch try given(source).content {
        case .object(let object): return .object(object, description)
        case .value(.null): return .object(nil, description)
        default:
            throw PredicateFormatError(
                .incompatibleTypes, at: source.range, "the properties of an identifier are not known",
                hint: "give the object itself")
        }
    }

    func following(_ step: ResolvedPath.Step, from row: Row) throws -> Row {
        let (entity, number, destination) = try relationship(step, of: row)
        switch row {
        case .assumed: return .assumed(destination)
        case .object(let object, _):
            return .object(object.flatMap { $0.toOneDestination(number) }, destination)
        case .path(let path, _):
            return .path(path.following(number, of: entity, to: destination), destination)
        }
    }

    private func relationship(
        _ step: ResolvedPath.Step, of row: Row
    ) throws -> (entity: EntityDescription, number: RelationshipNumber, destination: EntityDescription) {
        let entity = row.entity
        guard let (number, relationship) = entity.relationship(named: step.name) else {
            throw PredicateFormatError(
                .unknownProperty, at: step.range, "\(entity.name) has no relationship '\(step.name)'")
        }
        return (entity, number, try self.entity(relationship.destination, step.range))
    }

    func casting(_ row: Row, to name: String) throws -> Row {
        let target = try entity(name, 0..<0)
        switch row {
        case .assumed: return .assumed(target)
        case .path(let path, let entity): return .path(path.casting(from: entity, to: target), target)
        case .object(let object, _):
            let isKind = object.map { schema.isEntity(EntityDescription.entity(of: $0).name, kindOf: name) } ?? false
            return .object(isKind ? object : nil, target)
        }
    }

    func identifier(of row: Row) -> SQLExpression {
        switch row {
        case .assumed: return .value(.integer(1))
        case .object(let object, _): return .identifier(of: object)
        case .path(let path, let entity): return .column(path.identifier(of: entity))
        }
    }

    func attribute(_ steps: ArraySlice<ResolvedPath.Step>, of row: Row) throws -> SQLExpression {
        let name = steps.map(\.name).joined(separator: ".")
        if case .fullText = steps.last?.property { return try fullText(name, of: row, steps.first?.range ?? 0..<0) }
        guard let column = row.entity.attributeColumn(named: name) else {
            // A composite that is always there can be compared with nil all the same.
            if case .composite = steps.last?.property {
                if case .path(let path, _) = row, path.isCast { return .column(path.identifier) }
                return .value(.integer(1))
            }
            let range = steps.first?.range ?? 0..<0
            throw PredicateFormatError(.unknownProperty, at: range, "\(row.entity.name) has no attribute '\(name)'")
        }
        let description = row.entity.columns[column]
        switch row {
        case .assumed: return description.isDecimal ? .assumedDecimal : .value(.integer(1))
        case .path(let path, _):
            return .column(
                ColumnReference(
                    path: path, column: column, name: description.name, isDecimal: description.isDecimal))
        case .object(let object, _):
            let value = SQLExpression.value(object?.sqliteValue(column) ?? .null)
            return description.isDecimal ? .function(.toDecimal, [value]) : value
        }
    }

    private func fullText(_ name: String, of row: Row, _ range: Range<Int>) throws -> SQLExpression {
        guard case .path(let path, let entity) = row else {
            throw PredicateFormatError(
                .unsupported, at: range, "'\(name)' searches among the objects of the store, not in that of an argument"
            )
        }
        guard let index = entity.fullTextIndexes.first(where: { $0.name == name }) else {
            throw PredicateFormatError(.unknownProperty, at: range, "\(entity.name) has no full-text index '\(name)'")
        }
        return .fullText(FullTextReference(path: path, index: index))
    }

    // MARK: Relationships to many

    func related(_ step: ResolvedPath.Step, from row: Row) throws -> Related {
        let (entity, number, destination) = try relationship(step, of: row)
        switch row {
        case .assumed: return .assumed(destination)
        case .path(let path, _): return .rows(RelatedRows(path, entity, number, to: destination), destination)
        case .object(let object, _): return .objects(object?.memberObjects(number) ?? [], destination)
        }
    }

    func filtering(_ related: Related, _ condition: (Row) throws -> SQLExpression) throws -> Related {
        switch related {
        case .rows(var rows, let entity):
            let added = try RelatedLevel.deeper(rows) { try condition(.path($0, entity)) }
            rows.filter = rows.filter.map { .and([$0, added]) } ?? added
            return .rows(rows, entity)
        case .assumed: return related
        case .objects:
            throw PredicateFormatError(
                .unsupported, at: 0..<0, "SUBQUERY looks through the objects of the store, not those of an argument")
        }
    }

    func any(_ related: Related, _ condition: (Row) throws -> SQLExpression) throws -> SQLExpression {
        switch related {
        case .rows(let rows, let entity):
            return .any(rows, try RelatedLevel.deeper(rows) { try condition(.path($0, entity)) })
        case .assumed(let entity): return .or(try (0..<2).map { _ in try condition(.assumed(entity)) })
        case .objects(let objects, let entity): return .or(try objects.map { try condition(.object($0, entity)) })
        }
    }

    func all(_ related: Related, _ condition: (Row) throws -> SQLExpression) throws -> SQLExpression {
        switch related {
        case .rows(let rows, let entity):
            return rows.none(where: .not(try RelatedLevel.deeper(rows) { try condition(.path($0, entity)) }))
        case .assumed(let entity): return .and(try (0..<2).map { _ in try condition(.assumed(entity)) })
        case .objects(let objects, let entity): return .and(try objects.map { try condition(.object($0, entity)) })
        }
    }

    func aggregate(
        _ collectionOperator: CollectionOperator, _ related: Related, _ value: (Row) throws -> SQLExpression
    ) throws -> SQLExpression {
        let aggregate: SQLExpression.Aggregate =
            switch collectionOperator {
            case .sum: .sum
            case .avg: .average
            case .min: .minimum
            case .max: .maximum
            default: .count
            }
        switch related {
        case .rows(let rows, let entity):
            return .aggregate(aggregate, rows, try RelatedLevel.deeper(rows) { try value(.path($0, entity)) })
        case .assumed: return .value(.integer(1))
        case .objects(let objects, _):
            if aggregate == .count { return .value(.integer(Int64(objects.count))) }
            throw PredicateFormatError(
                .unsupported, at: 0..<0, "only @count is known of the objects of an argument",
                hint: "compute the value and give it as an argument")
        }
    }

    func element(
        _ position: ElementPosition, of related: Related, _ value: (Row) throws -> SQLExpression
    ) throws -> SQLExpression {
        switch related {
        case .rows(let rows, let entity):
            let place: SQLExpression.Position =
                switch position {
                case .first: .first
                case .last: .last
                case .at(let index): .at(index)
                }
            return .element(rows, place, try RelatedLevel.deeper(rows) { try value(.path($0, entity)) })
        case .assumed(let entity): return try value(.assumed(entity))
        case .objects(let objects, let entity):
            let object: ManagedObject? =
                switch position {
                case .first: objects.first
                case .last: objects.last
                case .at(let index): objects.indices.contains(index) ? objects[index] : nil
                }
            return try value(.object(object, entity))
        }
    }
}

extension FormatTarget.Row {
    var entity: EntityDescription {
        switch self {
        case .path(_, let entity), .object(_, let entity), .assumed(let entity): entity
        }
    }
}
