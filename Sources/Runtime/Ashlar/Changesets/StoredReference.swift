/// A column that refers to the objects of a table, with the rules of its relationship in the model.
///
/// If the inverse has the deletion rule No Action, the column is not a foreign key of the schema.
package struct StoredReference {
    package var table: String
    package var column: String
    /// The number of the destination's root entity.
    package var destination: UInt16
    /// Whether the relationship is required.
    package var isRequired: Bool
    /// Whether only one object may refer to a destination.
    var isOneToOne: Bool
    /// The rule that applies when the destination is deleted; nil without an inverse.
    var deletionRule: RelationshipDescription.DeletionRule?
    /// Whether deleting the referring object deletes the destination.
    package var takesAlong: Bool

    /// Whether deleting the destination deletes the referring object.
    package var isTakenAlong: Bool { deletionRule == .cascade }

    /// Whether the reference prevents the deletion of its destination.
    package var denies: Bool {
        switch deletionRule {
        case .deny: true
        case .nullify, nil: isRequired
        case .cascade, .noAction: false
        }
    }

    /// Returns the references of a model, sorted by the names of tables and columns.
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
