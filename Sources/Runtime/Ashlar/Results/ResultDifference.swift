/// The changes of live results, by position.
struct ResultDifference {
    var deletedSections: [Int] = []
    var insertedSections: [Int] = []
    /// Removed objects with their old positions, the last first.
    var deleted: [(object: ManagedObject, from: ResultPlace)] = []
    /// Inserted objects with their new positions.
    var inserted: [(object: ManagedObject, to: ResultPlace)] = []
    var moved: [(object: ManagedObject, from: ResultPlace, to: ResultPlace)] = []
    /// Objects with new values that did not move, with their old and new positions.
    var updated: [(object: ManagedObject, at: ResultPlace, to: ResultPlace)] = []

    var isEmpty: Bool {
        deletedSections.isEmpty && insertedSections.isEmpty && deleted.isEmpty && inserted.isEmpty && moved.isEmpty
            && updated.isEmpty
    }

    init() {}

    /// Compares the positions of some objects in an old and a new list. All other objects are in the same order in
    /// both.
    ///
    /// - Parameters:
    ///   - kept: The names of the sections that are in both lists, in the same order.
    ///   - changes: The objects whose positions may differ, with both positions.
    ///   - isUpdated: Returns whether an object has new values.
    init(
        oldSections: [SectionKey?], newSections: [SectionKey?], kept: Set<SectionKey?>, _ changes: [ResultChange],
        isUpdated: (ManagedObject) -> Bool
    ) {
        deletedSections = oldSections.indices.filter { !kept.contains(oldSections[$0]) }.reversed()
        insertedSections = newSections.indices.filter { !kept.contains(newSections[$0]) }
        var survivors: [ResultChange] = []
        for change in changes {
            switch (change.from, change.to) {
            case (let from?, nil): deleted.append((change.object, from))
            case (nil, let to?): inserted.append((change.object, to))
            case (.some, .some): survivors.append(change)
            case (nil, nil): break
            }
        }
        let moves = Self.moves(survivors, kept, oldSections, newSections)
        for (change, isMoved) in zip(survivors, moves) {
            guard let from = change.from, let to = change.to else { continue }
            if isMoved {
                moved.append((change.object, from, to))
            } else if isUpdated(change.object) {
                updated.append((change.object, from, to))
            }
        }
        deleted.sort { $0.from > $1.from }
        inserted.sort { $0.to < $1.to }
        moved.sort { $0.to < $1.to }
        updated.sort { $0.at < $1.at }
    }

    /// Returns the names of as many sections as possible that are in both lists in the same order.
    static func keptSections(_ old: [SectionKey?], _ new: [SectionKey?]) -> Set<SectionKey?> {
        if old == new { return Set(old) }
        let places = Dictionary(uniqueKeysWithValues: old.enumerated().map { ($1, $0) })
        let survivors = new.filter { places[$0] != nil }
        return Set(LongestIncrease.positions(survivors.map { places[$0] ?? 0 }).map { survivors[$0] })
    }

    /// Returns the names of sections that are in both lists in the same order. They include all sections that still
    /// have objects without reported changes. Between these, they include as many as possible of the sections whose
    /// objects were all removed and inserted again.
    static func keptSections(
        _ old: [SectionKey?], _ new: [SectionKey?], remaining: Set<SectionKey?>
    ) -> Set<SectionKey?> {
        if old == new { return Set(old) }
        if remaining.isEmpty { return keptSections(old, new) }
        var kept = remaining
        for (old, new) in zip(
            old.split(omittingEmptySubsequences: false, whereSeparator: remaining.contains),
            new.split(omittingEmptySubsequences: false, whereSeparator: remaining.contains))
        { kept.formUnion(keptSections(Array(old), Array(new))) }
        return kept
    }

    /// Returns for each object in both lists whether it moved itself, and was not only shifted by others.
    ///
    /// Objects of one section did not move if they have the same number of unchanged objects before them in both lists,
    /// and are in the same order.
    private static func moves(
        _ survivors: [ResultChange], _ kept: Set<SectionKey?>, _ oldSections: [SectionKey?],
        _ newSections: [SectionKey?]
    ) -> [Bool] {
        var isMoved = Array(repeating: true, count: survivors.count)
        var candidates: [Int: [Int]] = [:]
        for (index, change) in survivors.enumerated() {
            guard let from = change.from, let to = change.to else { continue }
            let name = oldSections[from.section]
            guard name == newSections[to.section], kept.contains(name), change.oldRank == change.newRank else {
                continue
            }
            candidates[to.section, default: []].append(index)
        }
        for indices in candidates.values {
            let ordered = indices.sorted { (survivors[$0].to?.item ?? 0) < (survivors[$1].to?.item ?? 0) }
            for position in LongestIncrease.positions(ordered.map { survivors[$0].from?.item ?? 0 }) {
                isMoved[ordered[position]] = false
            }
        }
        return isMoved
    }
}

/// An object's positions in an old and a new list; nil if it is not in the list.
struct ResultChange {
    var object: ManagedObject
    var from: ResultPlace?
    var to: ResultPlace?
    /// The number of unchanged objects before it in its section.
    var oldRank = 0
    var newRank = 0

    /// Counts the unchanged objects before each of the changed objects. All changed objects must be given.
    static func rank(_ changes: inout [ResultChange]) {
        rank(&changes, \.from, \.oldRank)
        rank(&changes, \.to, \.newRank)
    }

    private static func rank(
        _ changes: inout [ResultChange], _ place: KeyPath<ResultChange, ResultPlace?>,
        _ rank: WritableKeyPath<ResultChange, Int>
    ) {
        let order = changes.indices.filter { changes[$0][keyPath: place] != nil }.sorted {
            guard let left = changes[$0][keyPath: place], let right = changes[$1][keyPath: place] else { return false }
            return left < right
        }
        var section = -1
        var concerned = 0
        for index in order {
            guard let found = changes[index][keyPath: place] else { continue }
            if found.section != section {
                section = found.section
                concerned = 0
            }
            changes[index][keyPath: rank] = found.item - concerned
            concerned += 1
        }
    }
}

/// The longest increasing subsequence of different numbers.
enum LongestIncrease {
    /// Returns the positions of its numbers, in their order, in O(*n* log *n*) time.
    static func positions(_ numbers: [Int]) -> [Int] {
        /// For each length, the position of the least number that ends an increasing subsequence of that length.
        var ends: [Int] = []
        var previous = Array(repeating: -1, count: numbers.count)
        for (position, number) in numbers.enumerated() {
            var low = 0
            var high = ends.count
            while low < high {
                let middle = (low + high) / 2
                if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
            }
            previous[position] = low > 0 ? ends[low - 1] : -1
            if low == ends.count { ends.append(position) } else { ends[low] = position }
        }
        var result: [Int] = []
        var position = ends.last ?? -1
        while position >= 0 {
            result.append(position)
            position = previous[position]
        }
        return result.reversed()
    }
}
