/// A column of a table that refers to the objects of a table, with what the model says of the relationship.
///
/// Not every such column is a foreign key of the schema: one whose inverse has the deletion rule No Action is none.
package struct StoredReference {
    package var table: String
    package var column: String
    /// The number of the root entity that it leads to.
    package var destination: UInt16
    /// Whether an object must not be without it.
    package var isRequired: Bool
    /// Whether an object can be referred to once only.
    var isOneToOne: Bool
    /// The rule for the deletion of what is referred to; nil without an inverse.
    var deletionRule: RelationshipDescription.DeletionRule?
    /// Whether the deletion of what refers takes what it refers to along.
    package var takesAlong: Bool

    /// Whether the deletion of what is referred to takes what refers to it along.
    package var isTakenAlong: Bool { deletionRule == .cascade }

    /// Whether the reference keeps what it leads to from being deleted.
    package var denies: Bool {
        switch deletionRule {
        case .deny: true
        case .nullify, nil: isRequired
        case .cascade, .noAction: false
        }
    }

    /// The references of a model, by the names of tables and columns.
    static func references(of model: ModelDescription) -> [StoredReference] {
        var found: [String: StoredReference] = [:]
        for entity in model.entitySchemas {
            for (number, relationship) in entity.relationships.numbered {
                guard case .column(let position) = relationship.storage,
                    let destination = model.destination(of: entity, number)
                else { continue }
                let column = entity.columns[position].name
                let inverse = relationship.inverse.map { destination.relationships[$0] }
                found["\(entity.tableName)\n\(column)"] = StoredReference(
                    table: entity.tableName, column: column, destination: destination.number.root,
                    isRequired: !relationship.isOptional, isOneToOne: inverse?.isToMany == false,
                    deletionRule: inverse?.deletionRule, takesAlong: relationship.deletionRule == .cascade)
            }
        }
        return found.sorted { $0.key < $1.key }.map(\.value)
    }
}
