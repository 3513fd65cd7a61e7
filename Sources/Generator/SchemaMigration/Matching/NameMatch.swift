/// The pairs of things of two versions by their names and renaming identifiers.
///
/// Xcode's rule is that equal identifiers mean the same thing; without an identifier, the name is used. Authors write
/// identifiers in three ways, and all three work: the first name, in every version; the name in the version before; and
/// a name that no version has ever had, which means nothing.
package struct NameMatch {
    package struct Item {
        package var name: String
        package var identifier: String?

        package init(name: String, identifier: String?) { (self.name, self.identifier) = (name, identifier) }

        var canonicalName: String { identifier ?? name }
    }

    /// The position of the old item for each new item; nil for added items.
    package private(set) var oldPositions: [Int?]
    private let old: [Item]
    private let new: [Item]
    private var isTaken: [Bool]

    package init(old: [Item], new: [Item]) {
        self.old = old
        self.new = new
        oldPositions = [Int?](repeating: nil, count: new.count)
        isTaken = [Bool](repeating: false, count: old.count)
        if old.count == new.count, zip(old, new).allSatisfy({ $0.name == $1.name && $0.identifier == $1.identifier }) {
            oldPositions = Array(old.indices)
            return
        }
        match()
    }

    private mutating func match() {
        let byName = Dictionary(old.indices.map { (old[$0].name, $0) }, uniquingKeysWith: { first, _ in first })
        let byCanonicalName = Dictionary(grouping: old.indices) { old[$0].canonicalName }
        let newNames = Set(new.map(\.name))
        let renamed = new.indices.filter { new[$0].identifier != nil }
        // An explicit identifier is a statement, so it comes before a name that merely happens to be the same.
        for index in renamed {
            let same = byName[new[index].name].filter { old[$0].canonicalName == new[index].canonicalName }
            take(same, for: index)
        }
        for index in renamed where oldPositions[index] == nil {
            let candidates = (byCanonicalName[new[index].canonicalName] ?? []).filter { !isTaken[$0] }
            take(candidates.first { !newNames.contains(old[$0].name) } ?? candidates.first, for: index)
        }
        for index in renamed where oldPositions[index] == nil {
            take(byName[new[index].canonicalName], for: index)
        }
        for index in new.indices where oldPositions[index] == nil {
            take(byName[new[index].name], for: index)
        }
        for index in new.indices where oldPositions[index] == nil {
            take(byCanonicalName[new[index].canonicalName]?.first { !isTaken[$0] }, for: index)
        }
    }

    private mutating func take(_ position: Int?, for index: Int) {
        guard let position, !isTaken[position] else { return }
        oldPositions[index] = position
        isTaken[position] = true
    }
}

extension Optional {
    /// The value if it satisfies a condition.
    fileprivate func filter(_ isIncluded: (Wrapped) -> Bool) -> Wrapped? {
        flatMap { isIncluded($0) ? $0 : nil }
    }
}
