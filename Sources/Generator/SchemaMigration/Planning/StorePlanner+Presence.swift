import DataModel
import RelationalSchema

extension StorePlanner {
    /// In which old rows a composite of a new one is there.
    enum Presence: Hashable {
        case always, never
        /// Where an old column is not NULL.
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

    /// In which old rows the composites are there that an old leaf is in.
    ///
    /// The innermost that is optional decides, because it is nil when one around it is.
    func oldPresence(of leaf: AttributeLeaf, declaredBy entityName: String) -> Presence {
        guard let depth = leaf.optionalComposites.last else { return .always }
        let keyPath = AttributeLeaf(path: Array(leaf.path[..<depth])).keyPath
        return old.columnNames[PropertyName(entityName, keyPath)].map { .column($0) } ?? .always
    }
}
