import DataModel
import RelationalSchema

/// The rules for the rows of a table.
struct ValueRules {
    private let store: CheckedStore
    private let storage: EntityStorage
    private let table: Table
    private(set) var all: [ValueRule] = []

    init(_ store: CheckedStore, _ storage: EntityStorage, _ table: Table) {
        (self.store, self.storage, self.table) = (store, storage, table)
        addEntityRule()
        for stored in storage.columns {
            guard let entity = store.graph.entity(named: stored.entityName) else { continue }
            switch stored.content {
            case .attribute(let attribute): addRules(stored, attribute, entity)
            case .toOne(let relationship):
                addType(stored, relationship.name, entity, .integer)
                if !relationship.isOptional {
                    add(
                        .missingValue, entity, relationship.name,
                        "An object has no \(relationship.name), which is required.",
                        "Give it one, or delete the object.", Self.isNull(column(stored)))
                }
            case .order(_, let relationship): addType(stored, relationship.name, entity, .integer)
            }
        }
    }

    private func column(_ stored: StoredColumn) -> String { "t.\(SQLText.identifier(stored.name))" }

    /// For a column that is `NOT NULL`, SQLite takes `IS NULL` for false, whatever its content.
    private static func isNull(_ value: String) -> String { "typeof(\(value)) = 'null'" }

    private mutating func add(
        _ kind: StoreFinding.Kind, _ entity: Entity, _ property: String?, _ text: String, _ remedy: String,
        _ condition: String
    ) {
        let kindOf = store.isKind(of: entity, "t")
        all.append(
            ValueRule(
                finding: StoreFinding(
                    kind: kind, text: text, remedy: remedy, entity: entity.name, property: property, table: table.name),
                isBroken: kindOf == "true" ? condition : "\(kindOf) AND (\(condition))"))
    }

    // MARK: Entities

    private mutating func addEntityRule() {
        guard let root = store.graph.entity(named: storage.rootName), storage.hasDiscriminator || root.isAbstract
        else { return }
        let concrete = store.graph.hierarchy(of: root).filter { !$0.isAbstract }
        let conditions = concrete.compactMap { store.schema.storage(of: $0)?.rowCondition }
        add(
            .unknownEntity, root, nil, "A row belongs to an entity that has no objects.",
            "Set entity$ to the name of the entity that its values belong to, or delete the row.",
            "(\((conditions.isEmpty ? ["false"] : conditions).joined(separator: " OR "))) IS NOT true")
    }

    // MARK: Attributes

    private mutating func addRules(_ stored: StoredColumn, _ attribute: Attribute, _ entity: Entity) {
        // A generated column is computed when it is read.
        if stored.column.generation != nil { return }
        let value = column(stored)
        addType(stored, attribute.name, entity, stored.column.type)
        addForm(stored, attribute, entity)
        if attribute.isDerived { return }
        let change = "Set a value that the model allows."
        if stored.leaf?.isPresence == true {
            add(
                .incompleteComposite, entity, attribute.name, "Whether there is a composite is neither 1 nor nil.",
                "Set the column to 1 or NULL.", "\(value) <> 1")
        } else if !attribute.isOptional {
            add(
                .missingValue, entity, attribute.name, "A required value is missing.", change, Self.isNull(value))
        }
        addComposite(stored, attribute, entity)
        for rule in attribute.rules { addRule(rule, stored, attribute, entity, change) }
    }

    /// The column must have only values of its own type, as SQLite defines it.
    private mutating func addType(
        _ stored: StoredColumn, _ property: String, _ entity: Entity, _ type: Column.DataType
    ) {
        if type == .any { return }
        // In a row of another entity, the column may have any value, because no object reads it, but none of another
        // type.
        let root = store.graph.root(of: entity)
        add(
            .wrongType, root, property, "A value is not of the type \(type.rawValue).",
            "Set a value of the attribute's type, which no program of Ashlar's could read otherwise.",
            "typeof(\(column(stored))) NOT IN (\(SQLText.literal(type.rawValue.lowercased())), 'null')")
    }

    /// Adds the rules that the column's type does not enforce.
    private mutating func addForm(_ stored: StoredColumn, _ attribute: Attribute, _ entity: Entity) {
        let value = column(stored)
        func isOf(_ type: String) -> String { "typeof(\(value)) = '\(type)'" }
        let change = "Set a value of the attribute's type."
        switch attribute.type {
        case .integer16, .integer32:
            let greatest: Int64 = attribute.type == .integer16 ? 32_767 : 2_147_483_647
            add(
                .outOfRange, entity, attribute.name, "A number does not fit into the attribute's type.", change,
                "\(isOf("integer")) AND \(value) NOT BETWEEN \(-greatest - 1) AND \(greatest)")
        case .string, .uri, .decimal:
            add(
                .invalidText, entity, attribute.name, "A text is not valid UTF-8.", "Set a valid text.",
                "\(isOf("text")) AND NOT \(CheckFunctions.isText)(CAST(\(value) AS BLOB))")
            if attribute.type == .decimal {
                add(
                    .wrongType, entity, attribute.name, "A text is not a decimal number.", change,
                    "\(isOf("text")) AND NOT \(CheckFunctions.isDecimal)(\(value))")
            } else if attribute.type == .uri {
                add(
                    .wrongType, entity, attribute.name, "A text is not a URI.", change,
                    "\(isOf("text")) AND NOT \(CheckFunctions.isURL)(\(value))")
            }
        case .uuid:
            add(
                .wrongType, entity, attribute.name, "A UUID has not 16 bytes.", change,
                "\(isOf("blob")) AND length(\(value)) <> 16")
        case .binary, .transformable:
            // `ashlar$file:`. A value that itself begins with this text is stored with a mark before it.
            add(
                .wrongFile, entity, attribute.name, "A value begins as a reference to a file, but is not one.", change,
                "\(isOf("blob")) AND length(\(value)) > 16 AND substr(\(value), 1, 12) = x'6173686C61722466696C653A' "
                    + "AND NOT \(CheckFunctions.isReference)(\(value))")
        default: break
        }
    }

    private mutating func addComposite(_ stored: StoredColumn, _ attribute: Attribute, _ entity: Entity) {
        guard let leaf = stored.leaf,
            let count = leaf.optionalComposites.last(where: { !leaf.isPresence || $0 < leaf.path.count })
        else { return }
        let names = Array(leaf.names.prefix(count))
        guard
            let presence = storage.columns.first(where: {
                $0.entityName == stored.entityName && $0.leaf?.isPresence == true && $0.leaf?.names == names
            })
        else { return }
        if leaf.isRequiredWhereComposite {
            add(
                .incompleteComposite, entity, attribute.name, "A composite lacks a value that it must have.",
                "Set the value, or the whole composite to nil.",
                "\(column(presence)) IS NOT NULL AND \(column(stored)) IS NULL")
        }
        add(
            .incompleteComposite, entity, attribute.name, "A composite that is nil has a value.",
            "Set the value to nil, or the column of the composite to 1.",
            "\(column(presence)) IS NULL AND \(column(stored)) IS NOT NULL")
    }

    private mutating func addRule(
        _ rule: AttributeRule, _ stored: StoredColumn, _ attribute: Attribute, _ entity: Entity, _ change: String
    ) {
        let value = column(stored)
        let comparable = stored.column.collation.map { "\(value) COLLATE \(SQLText.identifier($0))" } ?? value
        switch rule {
        case .minimum(let bound):
            add(
                .belowMinimum, entity, attribute.name, "A value is less than \(bound.text).", change,
                "\(comparable) < \(bound.literal)")
        case .maximum(let bound):
            add(
                .aboveMaximum, entity, attribute.name, "A value is more than \(bound.text).", change,
                "\(comparable) > \(bound.literal)")
        case .minimumLength(let count):
            add(
                .tooShort, entity, attribute.name, "A text is shorter than \(count).", change,
                "\(CheckFunctions.length)(\(value)) < \(count)")
        case .maximumLength(let count):
            add(
                .tooLong, entity, attribute.name, "A text is longer than \(count).", change,
                "\(CheckFunctions.length)(\(value)) > \(count)")
        case .pattern(let pattern):
            add(
                .patternMismatch, entity, attribute.name, "A text does not match \(pattern).", change,
                "typeof(\(value)) = 'text' AND NOT \(CheckFunctions.matches)(\(value), \(SQLText.literal(pattern)))")
        }
    }
}

extension AttributeRule.Bound {
    var literal: String {
        switch self {
        case .integer(let number): number == .min ? "(-9223372036854775807 - 1)" : "\(number)"
        case .real(let number): SQLText.literal(number)
        case .decimal(let text): SQLText.literal(text)
        }
    }

    var text: String {
        switch self {
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .decimal(let text): text
        }
    }
}
