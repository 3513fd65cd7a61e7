import DataModel
import RelationalSchema

extension StorePlanner {
    /// The old rows in which a composite of a new row is present.
    enum Presence: Hashable {
        case always, never
        /// The rows in which an old column is not NULL.
        case column(String)

        /// The condition of such a row; nil when each is one.
        var condition: String? {
            switch self {
            case .always: nil
            case .never: "0"
            case .column(let name): "\(SQLText.identifier(name)) IS NOT NULL"
            }
        }

        /// A value for such rows, and NULL for the others.
        func guarded(_ value: String) -> String {
            condition.map { "CASE WHEN \($0) THEN \(value) END" } ?? value
        }
    }

    /// The old rows in which the composites that contain a leaf of a new row are present, including the composite whose
    /// presence the leaf stores.
    ///
    /// A new composite is nil if it is optional. A required one is present if the composite around it is.
    func presence(of leaf: AttributeLeaf, _ pair: EntityPair) -> Presence {
        var result = Presence.always
        for depth in leaf.optionalComposites {
            let keyPath = AttributeLeaf(path: Array(leaf.path[..<depth])).keyPath
            guard let source = match.oldComposite(keyPath, of: pair.new) else { return .never }
            result = oldPresence(
                of: AttributeLeaf(path: source.path, isPresence: true), declaredBy: source.key.entityName)
        }
        return result
    }

    /// The old rows in which the composites that contain an old leaf are present.
    ///
    /// The innermost optional composite decides, because it is nil if one around it is.
    func oldPresence(of leaf: AttributeLeaf, declaredBy entityName: String) -> Presence {
        guard let depth = leaf.optionalComposites.last else { return .always }
        let keyPath = AttributeLeaf(path: Array(leaf.path[..<depth])).keyPath
        return old.columnNames[PropertyName(entityName, keyPath)].map { .column($0) } ?? .always
    }
}
