import DataModel
import RelationalSchema

/// The objects, values and links of the next version, as the two models determine them. It leaves out how they are
/// computed, so that the result of a migration can be compared with it.
package struct VersionMatch: Sendable {
    /// The earlier attribute of an attribute.
    package struct AttributeOrigin: Sendable {
        /// The key path in the older version.
        package var keyPath: String
        package var type: AttributeType
    }

    package let old: Schema
    package let new: Schema
    /// By the old names.
    private let newEntityNames: [String: String]
    /// The old property of each property that a new entity has or inherits, by the new names.
    private let oldProperties: [String: [String: Version.Property]]
    /// The new entities whose objects get new identifiers, in the order of the old ones.
    package let renumberedEntityNames: Set<String>
    /// The tables of the new version from which duplicates are deleted.
    package let deduplicatedTables: Set<String>

    /// Compares two versions that follow each other.
    package init(from old: Schema, to new: Schema) {
        let plan = MigrationPlan(from: old, to: new)
        self.old = old
        self.new = new
        let match = ModelMatch(old: plan.old, new: plan.new)
        newEntityNames = match.newEntityNames
        oldProperties = match.oldProperties
        renumberedEntityNames = plan.renumberedEntityNames
        deduplicatedTables = plan.deduplicatedTables
    }

    /// The new name of an old entity; nil if its objects are deleted.
    package func newEntityName(of oldEntityName: String) -> String? { newEntityNames[oldEntityName] }

    /// Returns the earlier name of an entity; nil if it is new.
    package func oldEntityName(of newEntityName: String) -> String? {
        newEntityNames.first { $0.value == newEntityName }?.key
    }

    /// Returns the earlier attribute of the objects of a new entity; nil if they had none whose values can be
    /// converted.
    package func origin(of attribute: Attribute, keyPath: String, in newEntityName: String) -> AttributeOrigin? {
        guard let property = oldProperties[newEntityName]?[keyPath], let old = property.attribute,
            AttributeConversion(from: old, to: attribute) != nil
        else { return nil }
        return AttributeOrigin(keyPath: property.name, type: property.leaf?.isPresence == true ? .boolean : old.type)
    }

    /// Returns the earlier relationship of the objects of a new entity; nil if they had none.
    package func origin(ofRelationshipNamed name: String, in newEntityName: String) -> Relationship? {
        oldProperties[newEntityName]?[name]?.relationship
    }
}
