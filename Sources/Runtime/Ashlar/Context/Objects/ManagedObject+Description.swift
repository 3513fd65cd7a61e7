import AshlarSQLite
import SystemFoundation

/// The output of `print(object)`, `"\(object)"` and a debugger's `po`: entity, identifier, state and values.
///
///     print(post)     // Post p12 (changed): author: p3 of Author, comments: 2, likes: 3, title: "Great Wall"
///
/// It loads nothing: a to-many relationship that was not read yet is printed as `…`. This is not a `description`,
/// because a model may have attributes with the names of other protocols' properties.
extension ManagedObject: TextOutputStreamable {
    /// Writes a description of the object, the same text as `"\(object)"`.
    ///
    /// - Parameter target: The stream to write to.
    public final func write<Target: TextOutputStream>(to target: inout Target) {
        target.write("\(entity.name) \(Self.name(of: identifier))")
        if let state = stateDescription { target.write(" (\(state))") }
        // Printing values does not count as observing them.
        let isObserved = record.isObserved
        record.isObserved = false
        defer { record.isObserved = isObserved }
        let values = attributeDescriptions + relationshipDescriptions
        for (index, value) in values.sorted(by: { $0.name < $1.name }).enumerated() {
            target.write("\(index == 0 ? ": " : ", ")\(value.name): \(value.text)")
        }
    }

    /// The row's number, or before the first save a number that is valid only in this context.
    private static func name(of identifier: PersistentIdentifier) -> String {
        identifier.isTemporary ? "t\(identifier.rowID.magnitude)" : "p\(identifier.rowID)"
    }

    private final var stateDescription: String? {
        switch record.state {
        case .detached: "in no context"
        case .inserted: "inserted"
        case .persisted: record.isListed ? "changed" : nil
        case .deleted: "to be deleted"
        case .gone: "deleted"
        }
    }

    private final var attributeDescriptions: [(name: String, text: String)] {
        let keyPaths = type(of: self)._ashlarKeyPaths
        // The parts of a composite are shown as one value.
        let names = Set(entity.ownColumns.map { String(entity.columns[$0].property.prefix { $0 != "." }) })
        return names.subtracting(entity.relationships.map(\.name)).compactMap { name in
            keyPaths.keyPath(of: name).map { (name, Self.text(of: self[keyPath: $0])) }
        }
    }

    private final var relationshipDescriptions: [(name: String, text: String)] {
        entity.relationships.numbered.map { number, relationship in
            if case .column(let column) = relationship.storage, record.context != nil {
                let identifier = identifier(inColumn: column)
                return (relationship.name, identifier.map { "\(Self.name(of: $0)) of \($0.entityName)" } ?? "nil")
            }
            let count =
                links(number)?.members?.count ?? (record.context == nil ? links(number)?.objects.count ?? 0 : nil)
            return (relationship.name, count.map { "\($0)" } ?? "…")
        }
    }

    private static func text(of value: Any?) -> String {
        switch flattened(value) {
        case nil: return "nil"
        case let text as String:
            return text.count > 100 ? "\(String(reflecting: String(text.prefix(100))))…" : "\(String(reflecting: text))"
        case let data as Data: return "\(data.count) bytes"
        case let value?: return "\(value)"
        }
    }
}
