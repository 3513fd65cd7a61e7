import AshlarSQLite
import SystemFoundation

/// The translation of key paths.
extension PredicateTranslator {
    func property(
        _ keyPath: AnyKeyPath, _ collectionProperty: CollectionProperty?, of operand: PredicateOperand
    ) throws -> PredicateOperand {
        switch operand {
        case .row(let row): return try property(keyPath, of: row)
        case .element(let rows, let position, let row):
            return try element(rows, position, try property(keyPath, of: row), keyPath)
        case .composite(let row, let name):
            guard let leaf = row.entity.modelClass._ashlarKeyPaths[keyPath] else { throw unknown(keyPath, row.entity) }
            return try attribute("\(name).\(leaf)", of: row)
        case .rows(let rows, let destination):
            if let type = destination.modelClass as? any PersistentModel.Type,
                let property = collectionProperty ?? Self.collectionProperty(keyPath, of: type)
            {
                return try self.property(property, of: rows, destination)
            }
        case .list(let values):
            if let collectionProperty { return property(collectionProperty, of: values.map { .value($0) }) }
        case .identifiers(let identifiers):
            if let collectionProperty { return property(collectionProperty, of: identifiers.map(\.row)) }
        case .filtered(let values):
            if let collectionProperty { return try property(collectionProperty, of: values) }
        case .value(let value):
            if let result = property(keyPath, collectionProperty, of: value) { return .value(result) }
        default: break
        }
        throw unsupported(
            Self.description(of: keyPath), "the program computes it, and the store does not hold it",
            "compare the attributes that it is computed from")
    }

    /// A property of all Swift collections.
    enum CollectionProperty {
        case count, isEmpty, first, last
    }

    /// Foundation recognizes only the properties of its own collections.
    private static func collectionProperty<Model: PersistentModel>(
        _ keyPath: AnyKeyPath, of type: Model.Type
    ) -> CollectionProperty? {
        switch keyPath {
        case \ToMany<Model>.count: .count
        case \ToMany<Model>.isEmpty: .isEmpty
        case \ToMany<Model>.first: .first
        case \ToMany<Model>.last: .last
        default: nil
        }
    }

    // MARK: Objects

    private func property(_ keyPath: AnyKeyPath, of row: PredicateRow) throws -> PredicateOperand {
        if let type = row.entity.modelClass as? any PersistentModel.Type, Self.isIdentity(keyPath, of: type) {
            return .value(row.identifier)
        }
        let known = row.entity.modelClass._ashlarKeyPaths[keyPath]
        guard let name = known ?? PropertyProbe.name(of: keyPath, in: row.entity) else {
            throw unknown(keyPath, row.entity)
        }
        if let number = row.entity.relationships.firstNumber(where: { $0.name == name }) {
            return try relationship(number, of: row)
        }
        if let index = row.entity.fullTextIndexes.first(where: { $0.name == name }) {
            return .fullText(FullTextReference(path: row.path, index: index))
        }
        let attribute = try attribute(name, of: row)
        let isData = ([Data.self, Data?.self] as [Any.Type]).contains { $0 == type(of: keyPath).valueType }
        if case .value(let value) = attribute, !isData, row.entity.attributeType(name) == .binary {
            // The bytes are the encoded form of a type of the program.
            return .opaque(value, name)
        }
        return attribute
    }

    private static func isIdentity<Model: PersistentModel>(_ keyPath: AnyKeyPath, of type: Model.Type) -> Bool {
        keyPath == \Model.persistentModelID
    }

    /// Returns a description of a property. Swift does not report the name of a computed one.
    static func description(of keyPath: AnyKeyPath) -> String {
        let type = type(of: keyPath)
        return "a property of \(type.rootType) that is \(type.valueType)"
    }

    private func unknown(_ keyPath: AnyKeyPath, _ entity: EntityDescription) -> FetchError {
        unsupported(
            Self.description(of: keyPath), "the store has no column for it, as it is computed or transient",
            "compare attributes of \(entity.name) that are stored, or filter the objects that were fetched")
    }

    /// Returns an attribute, a composite, or an attribute in one, by its path in the model.
    func attribute(_ name: String, of row: PredicateRow) throws -> PredicateOperand {
        if name == "id$" { return .value(row.identifier) }
        let isComposite = row.entity.columns.contains {
            $0.property.hasPrefix(name + ".") && row.entity.isKind(of: $0.entity)
        }
        if isComposite { return .composite(row, name) }
        guard let position = row.entity.attributeColumn(named: name) else {
            throw unsupported(
                "the property '\(name)'", "the store has no column for it", "use properties that are stored")
        }
        let description = row.entity.columns[position]
        let value = row.column(position)
        return description.type == .transformable ? .opaque(value, name) : .value(value)
    }

    private func relationship(_ number: RelationshipNumber, of row: PredicateRow) throws -> PredicateOperand {
        let relationship = row.entity.relationships[number]
        guard let destination = row.entity.model?.modelDescription.entity(named: relationship.destination) else {
            throw unsupported("the relationship '\(relationship.name)'", "its destination is not in the model")
        }
        if relationship.isToMany {
            return .rows(RelatedRows(row.path, row.entity, number, to: destination), destination)
        }
        return .row(
            PredicateRow(path: row.path.following(number, of: row.entity, to: destination), entity: destination))
    }

    private func element(
        _ rows: RelatedRows, _ position: SQLExpression.Position, _ operand: PredicateOperand, _ keyPath: AnyKeyPath
    ) throws -> PredicateOperand {
        switch operand {
        case .value(let value): return .value(.element(rows, position, value))
        case .row(let row): return .element(rows, position, row)
        case .opaque(let value, let name): return .opaque(.element(rows, position, value), name)
        default:
            throw unsupported(
                "\(Self.description(of: keyPath)) of one object of a relationship",
                "only single values can be taken of it",
                "ask with contains(where:)")
        }
    }

    // MARK: Collections

    private func property(
        _ property: CollectionProperty, of rows: RelatedRows, _ destination: EntityDescription
    ) throws -> PredicateOperand {
        switch property {
        case .count: return .value(.aggregate(.count, rows, .value(.integer(1))))
        case .isEmpty: return .value(rows.none(where: .alwaysTrue))
        case .first: return try element(of: rows, .first, destination)
        case .last: return try element(of: rows, .last, destination)
        }
    }

    /// Returns the object at a position of an ordered relationship.
    func element(
        of rows: RelatedRows, _ position: SQLExpression.Position, _ destination: EntityDescription
    ) throws -> PredicateOperand {
        guard rows.order != nil else {
            throw unsupported(
                "one object of the relationship '\(rows.relationship)' by its place", "the relationship has no order",
                "make it ordered in the model, or ask with contains(where:)")
        }
        return .element(rows, position, PredicateRow(path: rows.element, entity: destination))
    }

    private func property(_ property: CollectionProperty, of values: [SQLExpression]) -> PredicateOperand {
        switch property {
        case .count: .value(.value(.integer(Int64(values.count))))
        case .isEmpty: .value(.value(SQLiteValue(values.isEmpty)))
        case .first: .value(values.first ?? .value(.null))
        case .last: .value(values.last ?? .value(.null))
        }
    }

    private func property(
        _ property: CollectionProperty, of values: [(value: SQLExpression, condition: SQLExpression)]
    ) throws -> PredicateOperand {
        let one = SQLExpression.value(.integer(1))
        let zero = SQLExpression.value(.integer(0))
        switch property {
        case .count:
            return .value(
                values.reduce(zero) { .arithmetic($0, .add, .conditional($1.condition, one, zero)) })
        case .isEmpty: return .value(.not(.or(values.map(\.condition))))
        case .first, .last:
            let ordered = property == .first ? values.reversed() : values
            return .value(
                ordered.reduce(.value(.null)) { .conditional($1.condition, $1.value, $0) })
        }
    }

    // MARK: Values

    private func property(
        _ keyPath: AnyKeyPath, _ collectionProperty: CollectionProperty?, of value: SQLExpression
    ) -> SQLExpression? {
        if type(of: keyPath).rootType == String.self {
            switch collectionProperty {
            case .count: return .function(.characterCount, [value])
            case .isEmpty: return .comparison(value, .equal, .value(.text("")))
            default: return nil
            }
        }
        if keyPath == \Date.timeIntervalSinceReferenceDate { return value }
        if keyPath == \Date.timeIntervalSince1970 {
            return .arithmetic(value, .add, .value(.real(Date.timeIntervalBetween1970AndReferenceDate)))
        }
        if keyPath == \PersistentIdentifier.id || keyPath == \ComparisonResult.rawValue { return value }
        return entity.model.flatMap { Self.isRawValue(keyPath, in: $0) } == true ? value : nil
    }

    private static func isRawValue(_ keyPath: AnyKeyPath, in model: any ManagedObjectModel.Type) -> Bool {
        model.modelDescription.entities.contains {
            $0.modelClass._ashlarKeyPaths[keyPath] == PropertyKeyPaths._ashlarRawValue
        }
    }
}

extension EntityDescription {
    fileprivate func attributeType(_ name: String) -> AttributeType? {
        attributeColumn(named: name).flatMap { columns[$0].type }
    }
}
