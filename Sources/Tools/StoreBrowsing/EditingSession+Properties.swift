import Ashlar
import AshlarSQLite
import PlannedModel
import StoreDescription

/// Attributes and relationships of objects.
extension EditingSession {
    /// Changes properties of an object; all values are checked first.
    func apply(_ changes: [StoreEditor.Change], to object: EditedObject) throws {
        let relationships = version.relationships(of: object.entityName)
        let (related, valued) = changes.reduce(into: ([StoreEditor.Change](), [StoreEditor.Change]())) {
            parts, change in
            if relationships.contains(where: { $0.name == change.property }) {
                parts.0.append(change)
            } else {
                parts.1.append(change)
            }
        }
        for (attribute, value) in try stored(valued, of: object.entityName) {
            guard DescribedModel.set(value, try column(attribute, object.description), of: object.object) else {
                let message = "\(attribute.keyPath) is required."
                throw BrowsingError(.refused, "Nothing was saved: \(message)", fields: [attribute.keyPath: message])
            }
        }
        try relate(related, object)
    }

    /// The position of an attribute's column.
    func column(_ attribute: StoredEntity.Attribute, _ entity: EntityDescription) throws -> Int {
        guard let found = entity.columns.firstIndex(where: { $0.name == attribute.column }) else {
            throw BrowsingError(.missing, "\(entity.name) has no property \(attribute.keyPath).")
        }
        return found
    }

    /// Returns the stored forms of texts as values of attributes.
    ///
    /// - Throws: ``BrowsingError`` with the messages about all texts that are not values.
    func stored(
        _ changes: [StoreEditor.Change], of entity: String
    ) throws -> [(StoredEntity.Attribute, SQLiteValue)] {
        let (attributes, relationships) = (version.attributes(of: entity), version.relationships(of: entity))
        var result: [(StoredEntity.Attribute, SQLiteValue)] = []
        var messages: [(String, String)] = []
        for change in changes {
            guard let attribute = attributes.first(where: { $0.keyPath == change.property }) else {
                if relationships.contains(where: { $0.name == change.property }) { continue }
                throw BrowsingError(.missing, "\(entity) has no property \(change.property).")
            }
            guard change.kind == .set, EditedValue.canEdit(attribute) else {
                throw BrowsingError(.refused, "\(entity).\(change.property) cannot be changed here.")
            }
            let field = EditedField(attribute, version.modelled(attribute, of: entity))
            if let text = change.value {
                if let value = EditedValue.value(text, attribute.type) {
                    result.append((attribute, value))
                } else {
                    let shown = text.count > 60 ? text.prefix(60) + "…" : text[...]
                    messages.append((change.property, "'\(shown)' is not valid. Write \(field.expected)."))
                }
            } else if attribute.isOptional {
                result.append((attribute, .null))
            } else {
                messages.append((change.property, "A value is required. Write \(field.expected)."))
            }
        }
        if messages.isEmpty { return result }
        throw BrowsingError(
            .refused, "Nothing was saved. " + messages.map { "\($0): \($1)" }.joined(separator: " "),
            fields: Dictionary(messages) { first, _ in first })
    }

    /// Changes relationships of an object: the members of one to many all at once.
    func relate(_ changes: [StoreEditor.Change], _ object: EditedObject) throws {
        var changed: [String: [StoreEditor.Change]] = [:]
        for change in changes { changed[change.property, default: []].append(change) }
        for (name, changes) in changed.sorted(by: { $0.key < $1.key }) {
            guard let relationship = version.relationships(of: object.entityName).first(where: { $0.name == name }),
                let position = object.description.relationships.firstIndex(where: { $0.name == name })
            else { throw BrowsingError(.missing, "\(object.entityName) has no property \(name).") }
            guard changes.allSatisfy({ relationship.isToMany == ($0.kind != .set) }) else {
                throw BrowsingError(.refused, "\(object.entityName).\(name) cannot be changed in this way.")
            }
            if relationship.isToMany {
                var members = object.isNew ? [] : try self.members(relationship, of: object)
                for change in changes {
                    if change.kind == .place {
                        members = Self.placed(members, change.value ?? "")
                        continue
                    }
                    guard let number = try number(change) else {
                        throw BrowsingError(.refused, "\(name): no object is chosen.")
                    }
                    members.removeAll { $0 == number }
                    if change.kind == .add { members.append(number) }
                }
                let objects = try members.map { try target($0, relationship).object }
                assembler.setMembers(objects, of: object.object, position)
            } else if let change = changes.last {
                let chosen = try number(change).map { try self.target($0, relationship).object }
                assembler.setTarget(chosen, of: object.object, position)
            }
        }
    }

    private func number(_ change: StoreEditor.Change) throws -> Int64? {
        guard let text = change.value else { return nil }
        if let number = Int64(text) { return number }
        let message = "'\(text)' is not an object. Search for one, and choose it."
        throw BrowsingError(.refused, "Nothing was saved. \(message)", fields: [change.property: message])
    }

    private func target(_ number: Int64, _ relationship: StoredEntity.Relationship) throws -> EditedObject {
        do {
            return try object(relationship.destination, number)
        } catch let error as BrowsingError where error.kind == .missing {
            throw BrowsingError(.refused, error.description, fields: [relationship.name: error.description])
        }
    }

    /// The members of a relationship to many as they are stored.
    /// The members after the listed ones exchanged their places, so that they follow in the given order.
    private static func placed(_ members: [Int64], _ order: String) -> [Int64] {
        let known = Set(members)
        var listed: [Int64] = []
        for number in order.split(separator: ",").compactMap({ Int64($0) })
        where known.contains(number) && !listed.contains(number) {
            listed.append(number)
        }
        let moved = Set(listed)
        var result = members
        for (place, number) in zip(members.indices.filter { moved.contains(members[$0]) }, listed) {
            result[place] = number
        }
        return result
    }

    private func members(_ relationship: StoredEntity.Relationship, of object: EditedObject) throws -> [Int64] {
        let numbers = try browser.read(doing: "reading \(relationship.name)") { connection in
            try StoreBrowser.numbers(
                relationship, of: object.number, version, connection, limit: Self.memberLimit + 1)
        }
        if numbers.count > Self.memberLimit {
            throw BrowsingError(
                .refused,
                "\(object.entityName).\(relationship.name) has more than \(Self.memberLimit) objects. Change the "
                    + "relationship at the other side.")
        }
        return numbers
    }
}
