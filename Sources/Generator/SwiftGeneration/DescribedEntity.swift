import DataModel
import RelationalSchema

/// The generated description of an entity as values, for describing a model to the runtime without generated code. The
/// numbers are those of the generated code.
package struct DescribedEntity {
    package struct Relationship {
        package var relationship: DataModel.Relationship
        /// The position of the inverse among the destination's relationships.
        package var inverse: Int?
        package var storage: RelationshipStorage
        /// The position of the foreign key, if it is a column of the entity's table or of the destination's.
        package var column: Int?
    }

    package struct FullText {
        package var index: FetchIndex
        package var table: FullTextTable
        /// The positions of its attributes among the columns; -1 for an attribute without a column.
        package var columns: [Int]
    }

    /// The form of the values that a type of the program's own writes to a column.
    package enum ProgramForm {
        case any, json
        /// An archive of a type, as Swift writes it.
        case archive(String)
    }

    package var entity: Entity
    package var parentName: String?
    package var tableName: String
    package var number: UInt16
    package var rootNumber: UInt16
    /// The columns of the table, a line each.
    package var columns: String
    /// The positions of the columns that objects of the very entity write.
    package var ownColumns: [Int]
    /// The bounds of values, by the positions of the columns.
    package var rules: [Int: [AttributeRule]]
    /// The columns of each uniqueness constraint that holds for the entity.
    package var uniquenessConstraints: [[Int]]
    package var relationships: [Relationship]
    /// The entity's full-text indexes with those that it inherits.
    package var fullTexts: [FullText]
    /// The columns whose contents are determined by a type of the program's own, by name.
    package var programForms: [String: ProgramForm]
    /// The columns whose large values are read from a log on demand.
    package var loggedColumns: [String]
    package var isInHierarchy: Bool
    /// The names of the entity and of all below it, if the table also has rows of others.
    package var discriminators: [String]

    /// The entities of a schema, in the order of their numbers.
    package static func all(of schema: Schema) -> [DescribedEntity] {
        let model = ModelLayout(schema, name: "")
        return model.entities.compactMap { entity in
            model.layout(of: entity).map {
                DescribedEntity(EntityGenerator(layout: $0, model: model, access: .internal))
            }
        }
    }

    private init(_ generator: EntityGenerator) {
        let layout = generator.layout
        entity = layout.entity
        parentName = layout.parent?.name
        tableName = layout.storage.tableName
        number = UInt16(clamping: layout.number)
        rootNumber = UInt16(clamping: layout.rootNumber)
        columns = generator.columnLines.joined(separator: "\n")
        ownColumns = layout.ownColumns.filter { !$0.isDerived }.map(\.index)
        var rules: [Int: [AttributeRule]] = [:]
        for column in layout.columns {
            guard case .attribute(let attribute) = column.stored.content, !attribute.isDerived else { continue }
            if !attribute.rules.isEmpty { rules[column.index] = attribute.rules }
        }
        self.rules = rules
        uniquenessConstraints = generator.uniquenessConstraints
        relationships = layout.relationships.map { laidOut in
            Relationship(
                relationship: laidOut.relationship, inverse: laidOut.inverse, storage: laidOut.storage,
                column: generator.columnNumber(of: laidOut))
        }
        fullTexts = generator.fullTextTables.map { text in
            FullText(
                index: text.index, table: text.table,
                columns: text.table.columnNames.map { name in
                    layout.columns.first { $0.stored.name == name }?.index ?? -1
                })
        }
        programForms = layout.columns.reduce(into: [:]) { forms, column in
            guard case .attribute(let attribute) = column.stored.content, column.stored.leaf?.isPresence != true,
                !column.isDerived
            else { return }
            forms[column.stored.name] = ProgramForm(AttributeCode(attribute))
        }
        loggedColumns = generator.loggedColumns
        isInHierarchy = layout.isInHierarchy
        discriminators = layout.isInHierarchy && !layout.isRoot ? layout.hierarchy.map(\.name) : []
    }
}

extension DescribedEntity.ProgramForm {
    /// Nil if the column holds the value itself.
    fileprivate init?(_ code: AttributeCode) {
        switch code.conversion {
        case .none, .external: return nil
        case .json: self = .json
        case .archive: self = .archive(code.valueType)
        case .rawValue, .transformer: self = .any
        }
    }
}
