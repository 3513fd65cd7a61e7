import AshlarSQLite

/// The columns of an object that this context and the store changed since the context read the row.
///
/// A merge uses it to combine the two sides, and so does a save that finds another version.
struct ChangedColumns {
    /// The columns that this context changed.
    let here: Set<Int>
    /// The columns that the store changed.
    let there: Set<Int>
    /// The values of columns that both sides changed and whose changes add up, by the model's `sum` rule.
    let sums: [Int: SQLiteValue]
    /// The columns whose changes add up with those of others.
    let summed: Set<Int>
    /// Whether the changes of all columns that this context changed add up with any others.
    let addsUp: Bool

    /// The columns that both sides changed, even to the same value: two increments by one would otherwise count once.
    var conflicting: Set<Int> { here.intersection(there).subtracting(sums.keys) }

    /// Returns whether the two sides can be combined without a policy.
    ///
    /// - Parameter mergesAutomatically: Whether the context merges the saves of others. Otherwise another version of
    ///   the row is a conflict, unless all changes of this context add up.
    func combines(mergesAutomatically: Bool) -> Bool {
        conflicting.isEmpty && (mergesAutomatically || addsUp)
    }

    /// Returns the columns in which a policy keeps the object's values. No policy loses a change that adds up.
    func kept(by policy: MergePolicy, of object: ManagedObject) -> Set<Int> {
        switch policy.kind {
        case .storeTrump: here.subtracting(there)
        case .objectTrump: here
        case .overwrite: Set(object.entity.ownColumns).subtracting(summed.subtracting(here))
        case .rollback, .error, .custom: here.intersection(summed)
        }
    }
}

extension ModelContext {
    /// - Parameters:
    ///   - original: A copy of the object as the context read it.
    ///   - stored: A copy of the row as it is now.
    func changedColumns(
        of object: ManagedObject, since original: ManagedObject?, _ stored: ManagedObject
    ) throws -> ChangedColumns {
        let here = try columns(of: object, changedSince: original)
        let there = try columns(of: stored, changedSince: original)
        let summed = object.entity.summedColumns
        var sums: [Int: SQLiteValue] = [:]
        if let original {
            for column in summed where here.contains(column) && there.contains(column) {
                sums[column] = .sum(
                    base: original.sqliteValue(column), mine: object.sqliteValue(column),
                    theirs: stored.sqliteValue(column))
            }
        }
        let units = object.entity.optionalComposites(in: here.union(there))
        return ChangedColumns(
            here: Self.completing(here, units, ifAlso: there), there: Self.completing(there, units, ifAlso: here),
            sums: sums, summed: summed, addsUp: !here.isEmpty && here.isSubset(of: summed))
    }

    /// Adds all columns of composites that became nil or non-nil on one side. A part cannot be set in a composite that
    /// is nil, so the winning side supplies the entire composite.
    private static func completing(_ columns: Set<Int>, _ units: [Set<Int>], ifAlso other: Set<Int>) -> Set<Int> {
        var result = columns
        for unit in units where !unit.isDisjoint(with: columns) && !unit.isDisjoint(with: other) {
            result.formUnion(unit)
        }
        return result
    }
}

extension EntityDescription {
    /// Returns the columns of each optional composite that becomes nil or non-nil through changes of the given columns.
    fileprivate func optionalComposites(in changed: Set<Int>) -> [Set<Int>] {
        compositeUnits.compactMap { changed.contains($0.presence) ? $0.columns : nil }
    }

    /// The columns whose concurrent changes add up.
    fileprivate var summedColumns: Set<Int> {
        if summedProperties.isEmpty { return [] }
        return Set(ownColumns.filter { summedProperties.contains(columns[$0].property) })
    }
}
