import Ashlar
import AshlarSQLite

/// Merges a change of this store with the changes that others made to the same row, property by property.
struct PropertyMerge {
    /// The model's rules, by tables and properties.
    private var rules: [String: [String: SyncRule]] = [:]
    /// The entities whose objects a change brings back after others deleted them, by tables and discriminators.
    private var restored: [String: Set<String>] = [:]
    private let options: SyncOptions
    /// The columns that take fewer values than SQLite lets them have, by tables and names.
    let narrowColumns: [String: [String: NarrowColumn]]

    init(_ model: ModelDescription, _ options: SyncOptions) {
        self.options = options
        narrowColumns = model.narrowColumns
        for entity in model.entities {
            for (property, text) in entity.syncRules {
                if property.isEmpty {
                    restored[entity.tableName, default: []].insert(entity.name)
                } else if let rule = SyncRule(rawValue: text) {
                    rules[entity.tableName, default: [:]][property] = rule
                }
            }
        }
    }

    /// Returns whether a change of an object brings it back.
    func restores(_ table: String, _ object: PersistentIdentifier?) -> Bool {
        guard let names = restored[table], let object else { return false }
        return names.contains(object.entityName)
    }

    /// Returns whether the model's rule makes one value of both of a property.
    func combines(_ table: String, _ property: String) -> Bool {
        [.sum, .max, .min].contains(rules[table]?[property])
    }

    /// The remaining part of a change, and the dropped part.
    struct Result {
        var change: RowChange
        /// The positions of columns that hold something else than was wanted.
        var overruled: [Int] = []
        /// The positions among them whose values were combined from both sides.
        var combined: [Int] = []
    }

    /// - Parameters:
    ///   - change: An update, with the row as it was before.
    ///   - stored: The row as it is now.
    ///   - properties: The properties of the table's columns.
    func merge(
        _ change: RowChange, over stored: [SQLiteValue], properties: [MergedProperty], _ object: PersistentIdentifier?
    ) -> Result {
        var result = Result(change: change)
        let isTheirs = stored.indices.map { change.table.isWritable[$0] && stored[$0] != change.old[$0] }
        guard isTheirs.contains(true) else { return result }
        for property in properties {
            let positions = property.positions.filter { change.table.isWritable[$0] }
            guard positions.contains(where: { change.values[$0] != nil }), positions.contains(where: { isTheirs[$0] })
            else { continue }
            let base = Dictionary(uniqueKeysWithValues: positions.map { ($0, change.old[$0]) })
            let theirs = Dictionary(uniqueKeysWithValues: positions.map { ($0, stored[$0]) })
            let mine = base.merging(positions.compactMap { at in change.values[at].map { (at, $0) } }) { $1 }
            let rule = rules[change.table.name]?[property.name] ?? .last
            // Two that add the same both add.
            if mine == theirs && rule != .sum { continue }
            let told = object.flatMap { asked(property, $0, base: base, mine: mine, theirs: theirs) }
            let settled = told ?? Self.settled(property, rule, base: base, mine: mine, theirs: theirs)
            let isCombined = told != nil || combines(change.table.name, property.name)
            for position in positions {
                let column = narrowColumns[change.table.name]?[change.table.stored.columns[position]]
                // A sum may leave the range of the attribute's type.
                let value = settled[position].map { column?.bounded($0) ?? $0 } ?? theirs[position]
                if let wanted = change.values[position], value != wanted {
                    result.overruled.append(position)
                    if isCombined { result.combined.append(position) }
                }
                result.change.values[position] = value == theirs[position] ? nil : value
            }
        }
        return result
    }

    /// Returns the result of the rule for a property: all columns of one side, never a part of each.
    private static func settled(
        _ property: MergedProperty, _ rule: SyncRule, base: [Int: SQLiteValue], mine: [Int: SQLiteValue],
        theirs: [Int: SQLiteValue]
    ) -> [Int: SQLiteValue] {
        guard mine.count == 1, let (position, own) = mine.first, let before = base[position],
            let other = theirs[position]
        else { return rule == .first ? theirs : mine }
        return [position: value(rule, base: before, mine: own, theirs: other)]
    }

    /// Returns the program's decision about a property; nil if it makes none.
    private func asked(
        _ property: MergedProperty, _ object: PersistentIdentifier, base: [Int: SQLiteValue],
        mine: [Int: SQLiteValue], theirs: [Int: SQLiteValue]
    ) -> [Int: SQLiteValue]? {
        func value(_ position: Int) -> SQLiteValue? {
            guard let before = base[position], let own = mine[position], let other = theirs[position] else {
                return nil
            }
            return options.resolvingConflicts?(
                SyncConflict(object: object, property: property.name, base: before, mine: own, theirs: other))
        }
        switch property.content {
        case .nameless: return nil
        case .value(let position): return value(position).map { [position: $0] }
        case .placedReference(let position, let place):
            // Where they differ in the place only, there is nothing to be asked.
            guard mine[position] != theirs[position], let told = value(position) else { return nil }
            return told == theirs[position] ? theirs : [position: told, place: mine[place] ?? .null]
        case .composite(let elements, let presence):
            guard let resolver = options.resolvingCompositeConflicts else { return nil }
            func read(_ values: [Int: SQLiteValue]) -> SyncCompositeConflict.Elements {
                SyncCompositeConflict.elements(elements, presence) { values[$0] ?? .null }
            }
            let conflict = SyncCompositeConflict(
                object: object, property: property.name, base: read(base), mine: read(mine), theirs: read(theirs))
            return resolver(conflict).map { SyncCompositeConflict.columns(elements, presence, of: $0) }
        }
    }

    /// Returns the value of a property when an object of this store is merged with another that has the same unique
    /// values; nil if there is no rule, so that the first value wins.
    ///
    /// - Parameter object: The object that stays.
    func combine(
        _ table: String, _ property: MergedProperty, theirs: [Int: SQLiteValue], mine: [Int: SQLiteValue],
        _ object: PersistentIdentifier?
    ) -> [Int: SQLiteValue]? {
        if mine != theirs, let object {
            let base = mine.mapValues { _ in SQLiteValue.null }
            if let told = asked(property, object, base: base, mine: mine, theirs: theirs) { return told }
        }
        guard let rule = rules[table]?[property.name], case .value(let position) = property.content,
            let own = mine[position], let other = theirs[position]
        else { return nil }
        return [position: Self.combined(rule, theirs: other, mine: own)]
    }

    /// Returns the result of a rule for two objects that are merged. Both began without values, and nil is ignored.
    static func combined(_ rule: SyncRule, theirs: SQLiteValue, mine: SQLiteValue) -> SQLiteValue {
        if mine.isNull { return theirs }
        if theirs.isNull { return mine }
        return value(rule, base: .null, mine: mine, theirs: theirs)
    }

    private static func value(
        _ rule: SyncRule, base: SQLiteValue, mine: SQLiteValue, theirs: SQLiteValue
    ) -> SQLiteValue {
        switch rule {
        case .last: return mine
        case .first: return theirs
        case .max, .min:
            // No value is neither the greatest nor the smallest.
            if mine.isNull { return theirs }
            if theirs.isNull { return mine }
            let isGreater = SQLiteValue.compare(mine, theirs) > 0
            return isGreater == (rule == .max) ? mine : theirs
        case .sum: return .sum(base: base, mine: mine, theirs: theirs)
        }
    }
}
