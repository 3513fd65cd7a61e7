import AshlarSQLite

/// The columns of an object that this context and the store changed since the context read the row.
///
/// A merge and a save that finds another version both combine the two sides by it.
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

    /// The columns that both sides changed, also to the same value: two that count up by one have counted once.
    var conflicting: Set<Int> { here.intersection(there).subtracting(sums.keys) }

    /// Returns whether the two sides combine without a policy.
    ///
    /// - Parameter mergesAutomatically: Whether the context takes over what others save. Otherwise another version of the
    ///   row is a conflict, unless all that this context changed adds up.
    func combines(mergesAutomatically: Bool) -> Bool {
        conflicting.isEmpty && (mergesAutomatically || addsUp)
    }

    /// The columns in which a policy keeps the object's values. No policy loses a change that adds up.
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

    /// Adds all columns of composites that became nil or came about on one side: a part cannot be put into a composite that
    /// is not there, so that the composite goes as a whole to the side that wins.
    private static func completing(_ columns: Set<Int>, _ units: [Set<Int>], ifAlso other: Set<Int>) -> Set<Int> {
        var result = columns
        for unit in units where !unit.isDisjoint(with: columns) && !unit.isDisjoint(with: other) {
            result.formUnion(unit)
        }
        return result
    }
}

extension EntityDescription {
    /// The columns of each optional composite that becomes nil or comes about with a change of some columns.
    fileprivate func optionalComposites(in changed: Set<Int>) -> [Set<Int>] {
        compositeUnits.compactMap { changed.contains($0.presence) ? $0.columns : nil }
    }

    /// The columns whose changes in several places add up.
    fileprivate var summedColumns: Set<Int> {
        if summedProperties.isEmpty { return [] }
        return Set(ownColumns.filter { summedProperties.contains(columns[$0].property) })
    }
}
