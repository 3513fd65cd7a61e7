/// The meanings of the numbers in a store's history, in the model of the reading program.
struct HistoryEntities {
    /// The kind of rows that a number represents.
    enum Meaning {
        /// Objects of an entity, with the meaning of the bits of a change.
        case objects(EntitySchema, Group)
        /// Pairs of objects.
        case pairs(PairedRelationship)
    }

    /// The columns that the bits of a change represent, and their properties.
    struct Group {
        var columns: [String]
        var properties: [String]
    }

    private(set) var meanings: [Int64: Meaning] = [:]
    /// The columns whose values are preserved after deletion, by the numbers of entities and by their positions.
    private(set) var preserved: [Int64: [Int: ColumnDescription]] = [:]

    init(_ catalogue: HistoryCatalogue, of model: ModelDescription) {
        for table in TrackedTable.tables(of: model) {
            let names = catalogue.columns[table.name] ?? []
            let properties = Dictionary(table.columns.map { ($0.name, $0.property) }, uniquingKeysWith: { $1 })
            for entry in catalogue.entries where entry.table == table.name {
                switch table.content {
                case .pairs(let relationship): meanings[entry.number] = .pairs(relationship)
                case .objects(let entities):
                    guard let entity = entities.first(where: { $0.discriminator == entry.discriminator })?.entity
                    else { continue }
                    let columns = names.dropFirst(entry.group * HistoryCatalogue.groupSize)
                        .prefix(HistoryCatalogue.groupSize)
                    let group = Group(columns: Array(columns), properties: columns.map { properties[$0] ?? $0 })
                    meanings[entry.number] = .objects(entity, group)
                    if entry.group == 0 { preserved[entry.number] = Self.preserved(entity, names) }
                }
            }
        }
    }

    private static func preserved(_ entity: EntitySchema, _ names: [String]) -> [Int: ColumnDescription] {
        var columns: [Int: ColumnDescription] = [:]
        for column in entity.columns where column.isPreservedAfterDeletion {
            if let position = names.lastIndex(of: column.name) { columns[position] = column }
        }
        return columns
    }

    /// Returns the SQL condition for a row of `ashlar$change`, called `c`, that matches one of several filters; nil
    /// without filters.
    ///
    /// A row of a join table matches if it may match at either end.
    func condition(
        _ filters: [PersistentHistoryChangeRequest.ChangeFilter], of model: ModelDescription
    ) throws(HistoryError) -> String? {
        if filters.isEmpty { return nil }
        var terms: [String] = []
        for filter in filters {
            guard let entity = model.entitySchema(named: filter.entity) else {
                throw .unknownProperty(entity: filter.entity, property: nil)
            }
            for property in filter.properties?.sorted() ?? [] where !entity.hasStoredProperty(property) {
                throw .unknownProperty(entity: filter.entity, property: property)
            }
            var wholeNumbers: [Int64] = []
            for (number, meaning) in meanings.sorted(by: { $0.key < $1.key }) {
                switch meaning {
                case .pairs(let pairs):
                    if [pairs.source, pairs.target].contains(where: { filter.mayMatch($0, of: model) }) {
                        wholeNumbers.append(number)
                    }
                case .objects(let found, let group):
                    guard filter.matches(found, of: model) else { continue }
                    guard let properties = filter.properties else {
                        wholeNumbers.append(number)
                        continue
                    }
                    let mask = group.properties.enumerated().reduce(Int64(0)) {
                        properties.contains($1.element) ? $0 | 1 << Int64($1.offset) : $0
                    }
                    let update = RecordedKind.update.rawValue
                    terms.append(
                        "(c.\"entity\" = \(number) AND (c.\"kind\" <> \(update) OR c.\"detail\" & \(mask) <> 0))")
                }
            }
            if !wholeNumbers.isEmpty {
                terms.append("c.\"entity\" IN (\(wholeNumbers.map(String.init).joined(separator: ", ")))")
            }
        }
        return terms.isEmpty ? "0" : "(\(terms.joined(separator: " OR ")))"
    }
}

extension PersistentHistoryChangeRequest.ChangeFilter {
    /// Returns whether the filter concerns objects of an entity.
    func matches(_ found: EntitySchema, of model: ModelDescription) -> Bool {
        if found.name == entity { return true }
        guard includesSubentities, let ancestor = model.entitySchema(named: entity) else { return false }
        return ancestor.isAncestor(of: found, in: model)
    }

    /// Returns whether the filter may concern objects at an end of pairs. They may belong to subentities of the end's
    /// entity.
    func mayMatch(_ end: PairedRelationship.End, of model: ModelDescription) -> Bool {
        guard let relationship = end.relationship, properties?.contains(relationship) ?? true else { return false }
        guard let wanted = model.entitySchema(named: entity) else { return false }
        return matches(end.entity, of: model) || end.entity.isAncestor(of: wanted, in: model)
    }

    /// Returns whether the filter matches a change of an object.
    func matches(_ entity: EntitySchema, property: String, of model: ModelDescription) -> Bool {
        matches(entity, of: model) && properties?.contains(property) ?? true
    }
}

extension EntitySchema {
    /// Returns whether objects have a stored attribute or a relationship of a name.
    fileprivate func hasStoredProperty(_ name: String) -> Bool {
        columns.contains { $0.property.prefix { $0 != "." } == name } || relationships.contains { $0.name == name }
    }
}
