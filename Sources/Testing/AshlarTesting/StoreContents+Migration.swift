import Ashlar
import AshlarSQLite
import DataModel
import Foundation
import RelationalSchema
import SchemaMigration

extension StoreContents {
    /// Returns the expected contents of a store with these contents in the next version, without values that the models
    /// alone do not determine.
    ///
    /// - Parameters:
    ///   - isCustom: Whether SQL or Swift of the author's own runs on the way. It may fill the version's new
    ///     properties.
    ///   - changing: The entities and properties of the next version that it also changes.
    func migrated(_ match: VersionMatch, isCustom: Bool, changing: Set<String>) -> StoreContents {
        Interpreter(before: self, match: match, isCustom: isCustom, changing: isCustom ? changing : []).run()
    }
}

/// Migrates objects in memory by the rules of lightweight migration, without tables and SQL.
private struct Interpreter {
    let before: StoreContents
    let match: VersionMatch
    let isCustom: Bool
    let changing: Set<String>
    private var new: ModelGraph { match.new.graph }

    init(before: StoreContents, match: VersionMatch, isCustom: Bool, changing: Set<String>) {
        self.before = before
        self.match = match
        self.isCustom = isCustom
        self.changing = changing
    }

    func run() -> StoreContents {
        var after = StoreContents()
        var positions: [Int: Int] = [:]
        var sources: [Int] = []
        let gone = takenAlong()
        for (position, object) in before.objects.enumerated() where !gone.contains(position) {
            guard let (name, entity, storage) = successor(of: object) else { continue }
            var migrated = StoreContents.Object(entityName: name, rowID: object.rowID)
            migrated.isRenumbered = object.isRenumbered || match.renumberedEntityNames.contains(name)
            migrated.mayBeGone =
                object.mayBeGone || isChanged(entity) || match.deduplicatedTables.contains(storage.tableName)
            for column in storage.attributeColumns where !isChanged(column.keyPath, of: entity) {
                migrated.values[column.keyPath] = value(of: column, entity, object)
            }
            positions[position] = after.objects.count
            after.objects.append(migrated)
            sources.append(position)
        }
        for (index, source) in sources.enumerated() {
            guard let entity = new.entity(named: after.objects[index].entityName) else { continue }
            for relationship in match.new.storedRelationships(of: entity) {
                guard var links = links(relationship, entity, before.objects[source]) else { continue }
                links.targets = links.targets.compactMap { positions[$0] }.filter {
                    isEntity(after.objects[$0].entityName, kindOf: relationship.destinationName)
                }
                after.objects[index].links[relationship.name] = links
            }
        }
        return after
    }

    /// Returns the entity of an object in the next version; nil if it was removed.
    private func successor(of object: StoreContents.Object) -> (name: String, entity: Entity, EntityStorage)? {
        guard let name = match.newEntityName(of: object.entityName), let entity = new.entity(named: name),
            !entity.isAbstract, let storage = match.new.storage(of: entity)
        else { return nil }
        return (name, entity, storage)
    }

    /// The positions of objects that are deleted because an object that they require is deleted, whose deletion removes
    /// them.
    private func takenAlong() -> Set<Int> {
        let successors = before.objects.map { successor(of: $0) }
        var gone = Set(before.objects.indices.filter { successors[$0] == nil })
        let lost = gone
        if lost.isEmpty { return [] }
        var isDone = false
        while !isDone {
            isDone = true
            for (position, object) in before.objects.enumerated() where !gone.contains(position) {
                guard let (_, entity, storage) = successors[position] else { continue }
                let isTaken = storage.columns.contains { column in
                    guard case .toOne(let relationship) = column.content, column.column.isRequired,
                        column.column.reference?.action == .cascade,
                        let targets = links(relationship, entity, object)?.targets
                    else { return false }
                    return targets.contains { gone.contains($0) }
                }
                if isTaken {
                    gone.insert(position)
                    isDone = false
                }
            }
        }
        return gone.subtracting(lost)
    }

    private func isEntity(_ name: String, kindOf ancestor: String) -> Bool {
        guard let entity = new.entity(named: name), let other = new.entity(named: ancestor) else { return false }
        return new.isEntity(entity, kindOf: other)
    }

    // MARK: Changes by the author's own code

    private func isChanged(_ entity: Entity) -> Bool {
        kinds(of: entity).contains { changing.contains($0) }
    }

    private func isChanged(_ property: String, of entity: Entity) -> Bool {
        if changing.isEmpty { return false }
        // The part of a composite goes with the composite.
        let parts = property.split(separator: ".")
        let paths = (1...max(1, parts.count)).map { parts.prefix($0).joined(separator: ".") }
        return kinds(of: entity).contains { kind in
            changing.contains(kind) || paths.contains { changing.contains("\(kind).\($0)") }
        }
    }

    private func kinds(of entity: Entity) -> [String] { [entity.name] + new.ancestors(of: entity).map(\.name) }

    // MARK: Values

    /// The value of an attribute; nil if it is not known.
    private func value(of column: StoredColumn, _ entity: Entity, _ object: StoreContents.Object) -> SQLiteValue? {
        guard case .attribute(let stored) = column.content else { return nil }
        let attribute = column.leaf?.path.last ?? stored
        guard let origin = match.origin(of: attribute, keyPath: column.keyPath, in: entity.name) else {
            return isCustom || column.leaf != nil ? nil : fallback(attribute)
        }
        guard let value = object.values[origin.keyPath] else { return nil }
        if value == .null {
            if stored.isOptional { return column.leaf == nil || attribute.isOptional ? .null : nil }
            return column.leaf == nil ? fallback(attribute) : nil
        }
        return Self.converted(value, from: origin.type, to: attribute.type)
    }

    /// Returns the value of an object that had none.
    private func fallback(_ attribute: Attribute) -> SQLiteValue? {
        guard let value = try? attribute.migrationDefault() else { return attribute.isOptional ? .null : nil }
        return switch value {
        case .integer(let number): .integer(number)
        case .boolean(let flag): .integer(flag ? 1 : 0)
        case .real(let number), .date(let number): .real(number)
        case .string(let text), .uri(let text), .decimal(let text): .text(text)
        case .uuid(let uuid): .blob(withUnsafeBytes(of: uuid.uuid) { Data($0) })
        case .binary(let bytes): .blob(Data(bytes))
        }
    }

    /// A value converted to another type. No inferred conversion may lose it.
    private static func converted(
        _ value: SQLiteValue, from old: DataModel.AttributeType, to new: DataModel.AttributeType
    ) -> SQLiteValue? {
        if old == new { return value }
        switch (value, new) {
        case (.integer(let number), .double), (.integer(let number), .float): return .real(Double(number))
        case (.integer(let number), .decimal), (.integer(let number), .string): return .text("\(number)")
        case (.real(let number), .integer16), (.real(let number), .integer32), (.real(let number), .integer64):
            return Int64(exactly: number).map { .integer($0) }
        case (.text(let text), .integer16), (.text(let text), .integer32), (.text(let text), .integer64):
            return Int64(text).map { .integer($0) }
        case (.blob(let data), .string):
            guard old == .uuid, data.count == 16 else { return nil }
            var uuid = UUID().uuid
            withUnsafeMutableBytes(of: &uuid) { $0.copyBytes(from: data) }
            return .text(UUID(uuid: uuid).uuidString)
        default: return value
        }
    }

    // MARK: Links

    /// Returns the destinations of a relationship, in terms of the earlier objects; nil if they are unknown.
    private func links(
        _ relationship: Relationship, _ entity: Entity, _ object: StoreContents.Object
    ) -> StoreContents.Links? {
        let inverse = match.new.inverse(of: relationship, in: entity)
        if isChanged(relationship.name, of: entity) { return nil }
        if let inverse, isChanged(inverse.relationship.name, of: inverse.entity) { return nil }
        guard let origin = match.origin(ofRelationshipNamed: relationship.name, in: entity.name) else {
            // The links of the other side stay, and are compared there.
            if isCustom || inverse.map({ !origins(of: $0).isEmpty }) ?? false { return nil }
            return StoreContents.Links(isOrdered: false)
        }
        guard var links = object.links[origin.name], hasSameInverse(relationship, entity, origin, object, inverse)
        else {
            return nil
        }
        links.isOrdered = links.isOrdered && relationship.isOrdered
        return links
    }

    /// Returns the earlier relationships of the entities that have a relationship.
    private func origins(of side: (entity: Entity, relationship: Relationship)) -> Set<String> {
        Set(
            new.hierarchy(of: side.entity).compactMap {
                match.origin(ofRelationshipNamed: side.relationship.name, in: $0.name)?.name
            })
    }

    /// Returns whether the other side of a relationship is the same as before, or new.
    private func hasSameInverse(
        _ relationship: Relationship, _ entity: Entity, _ origin: Relationship, _ object: StoreContents.Object,
        _ inverse: (entity: Entity, relationship: Relationship)?
    ) -> Bool {
        guard let inverse, let oldEntity = match.old.graph.entity(named: object.entityName) else { return true }
        let before = match.old.inverse(of: origin, in: oldEntity)
        let isSymmetric =
            inverse.relationship.name == relationship.name && isEntity(entity.name, kindOf: inverse.entity.name)
        if isSymmetric { return before?.relationship.name == origin.name }
        let origins = origins(of: inverse)
        return origins.isEmpty || before.map { origins == [$0.relationship.name] } ?? false
    }
}
