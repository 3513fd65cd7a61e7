import Ashlar
import AshlarSQLite

/// Joins a change of this store with what others made of the same row meanwhile, property by property.
struct PropertyMerge {
    typealias Resolver = @Sendable (SyncConflict) -> SQLiteValue?

    /// The rules that the model says, by tables and properties.
    private var rules: [String: [String: SyncRule]] = [:]
    /// The entities whose objects a change brings back that somebody else deleted, by tables and discriminators.
    private var restored: [String: Set<String>] = [:]
    private var resolver: Resolver?

    init(_ model: ModelDescription, _ resolver: Resolver?) {
        self.resolver = resolver
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

    /// Whether a change of an object brings it back.
    func restores(_ table: String, _ object: PersistentIdentifier?) -> Bool {
        guard let names = restored[table], let object else { return false }
        return names.contains(object.entityName)
    }

    /// What is left of a change, and what of it is not kept.
    struct Result {
        var change: RowChange
        /// The positions of columns that hold something else than was wanted.
        var overruled: [Int] = []
    }

    /// - Parameters:
    ///   - change: An update, with the row as it was before.
    ///   - stored: The row as it is now.
    ///   - properties: The properties of the table's columns.
    func merge(
        _ change: RowChange, over stored: [SQLiteValue], properties: [String?], _ object: PersistentIdentifier?
    ) -> Result {
        var result = Result(change: change)
        let isTheirs = stored.indices.map { change.table.isWritable[$0] && stored[$0] != change.old[$0] }
        guard isTheirs.contains(true) else { return result }
        // Columns of one property stay together.
        var groups: [String: [Int]] = [:]
        for position in stored.indices where change.table.isWritable[position] {
            groups[properties[position] ?? "\(position)", default: []].append(position)
        }
        for (property, positions) in groups.sorted(by: { $0.key < $1.key }) {
            guard positions.contains(where: { change.values[$0] != nil }), positions.contains(where: { isTheirs[$0] })
            else { continue }
            let rule = rules[change.table.name]?[property] ?? .last
            if positions.count == 1, let position = positions.first, let mine = change.values[position] {
                let (base, theirs) = (change.old[position], stored[position])
                // Two that add the same both add.
                if mine == theirs && rule != .sum { continue }
                var value = Self.value(rule, base: base, mine: mine, theirs: theirs)
                if let resolver, let object {
                    value =
                        resolver(
                            SyncConflict(object: object, property: property, base: base, mine: mine, theirs: theirs))
                        ?? value
                }
                result.change.values[position] = value == theirs ? nil : value
                if value != mine { result.overruled.append(position) }
            } else if rule == .first {
                for position in positions {
                    if change.values[position] != nil { result.overruled.append(position) }
                    result.change.values[position] = nil
                }
            } else {
                // All of the later one, and not a part of each.
                for position in positions {
                    result.change.values[position] = change.values[position] ?? change.old[position]
                }
            }
        }
        return result
    }

    /// What a property holds when an object of this store becomes one with another's, as both have the same unique values; nil where
    /// nothing is said of it: what was there first counts.
    ///
    /// - Parameter object: The object that stays.
    func combine(
        _ table: String, _ property: String, theirs: SQLiteValue, mine: SQLiteValue, _ object: PersistentIdentifier?
    ) -> SQLiteValue? {
        var value = rules[table]?[property].map { Self.combined($0, theirs: theirs, mine: mine) }
        if mine != theirs, let resolver, let object {
            let conflict = SyncConflict(object: object, property: property, base: .null, mine: mine, theirs: theirs)
            value = resolver(conflict) ?? value
        }
        return value
    }

    /// What a rule makes of what two objects have that become one. Both began with nothing, and no value is no opinion.
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
        case .sum: return sum(base: base, mine: mine, theirs: theirs)
        }
    }

    /// What each added, on top of what was there. A sum that is too great for the type stays at its end.
    static func sum(base: SQLiteValue, mine: SQLiteValue, theirs: SQLiteValue) -> SQLiteValue {
        switch (base, mine, theirs) {
        case (_, .null, _): return theirs
        case (_, _, .null): return mine
        case (.null, _, _): return sum(base: .integer(0), mine: mine, theirs: theirs)
        case (.integer(let base), .integer(let mine), .integer(let theirs)):
            let (gain, overflowed) = mine.subtractingReportingOverflow(base)
            if overflowed { return .integer(mine < base ? .min : .max) }
            let (total, isTooMuch) = theirs.addingReportingOverflow(gain)
            return .integer(isTooMuch ? (gain < 0 ? .min : .max) : total)
        default:
            guard let base = base.number, let mine = mine.number, let theirs = theirs.number else { return mine }
            let total = theirs + (mine - base)
            return .real(total.isFinite ? total : mine)
        }
    }
}

extension SQLiteValue {
    /// The value as a floating-point number; nil for what is none.
    fileprivate var number: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .real(let number): number
        default: nil
        }
    }
}
