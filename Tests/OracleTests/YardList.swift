import Ashlar

/// A filtered and sorted list of keepers, and the same in plain Swift.
struct YardListRule: Sendable {
    struct Row: Equatable {
        var section: Int64
        var key: Int64
    }

    let descriptor: FetchDescriptor<Keeper>
    let section: @Sendable (Keeper) -> Int64
    let rows: @Sendable (Yard) -> [Row]

    static let byPoints = YardListRule(
        descriptor: Keeper.where { $0.points >= 10 }.order { $0.points.ascending }.order { $0.key.descending },
        section: { $0.points / 10 },
        rows: { yard in
            (yard.points[.keeper] ?? [:]).filter { $0.value >= 10 }
                .sorted { ($0.value, -$0.key) < ($1.value, -$1.key) }.map { Row(section: $0.value / 10, key: $0.key) }
        })

    static let byCrew = YardListRule(
        descriptor: Keeper.where { $0.crew.points > 10 }.order { $0.crew.points.descending }.order { $0.key.ascending },
        section: { $0.crew?.points ?? -1 },
        rows: { yard in
            yard.keys(.keeper)
                .map { Row(section: yard.crews[$0].flatMap { yard.points[.crew]?[$0] } ?? -1, key: $0) }
                .filter { $0.section > 10 }.sorted { (-$0.section, $0.key) < (-$1.section, $1.key) }
        })

    static let busiest = YardListRule(
        descriptor: Keeper.where { $0.chores.count > 0 }.order { $0.points.descending }.order { $0.key.ascending }
            .limit(4).offset(1),
        section: { _ in 0 },
        rows: { yard in
            let keepers = (yard.points[.keeper] ?? [:]).filter { yard.chores[$0.key] != nil }
            let sorted = keepers.sorted { (-$0.value, $0.key) < (-$1.value, $1.key) }
            return sorted.dropFirst().prefix(4).map { Row(section: 0, key: $0.key) }
        })

    static let all = YardListRule(
        descriptor: Keeper.order { $0.key.ascending }, section: { _ in 0 },
        rows: { yard in yard.keys(.keeper).map { Row(section: 0, key: $0) } })
}

/// A list of keepers that is kept up to date by the reported changes, as in a table view.
final class YardList: FetchedResultsControllerDelegate {
    typealias Model = Keeper
    typealias SectionName = Int64

    let controller: FetchedResultsController<Keeper, Int64>
    private var sections: [(name: Int64, keepers: [Keeper])] = []
    private var failure: String?
    private let rule: YardListRule

    init(_ context: ModelContext, _ rule: YardListRule = .byPoints) throws {
        self.rule = rule
        controller = FetchedResultsController(rule.descriptor, in: context, sectionBy: rule.section)
        controller.delegate = self
        try fetch()
    }

    /// Fetches anew, as a program does after a reset.
    func fetch() throws {
        try controller.performFetch()
        sections = controller.sections.map { ($0.name ?? -1, Array($0)) }
    }

    func controller(
        _ controller: FetchedResultsController<Keeper, Int64>,
        didChangeContentWith changes: FetchedResultsChanges<Keeper, Int64>
    ) {
        var rows = sections
        let leaving = changes.objects.compactMap { $0.kind == .update ? nil : $0.indexPath }
        for path in leaving.sorted().reversed() {
            guard rows.indices.contains(path[0]), rows[path[0]].keepers.indices.contains(path[1]) else {
                failure = "a row leaves \(path), where there is none"
                return
            }
            rows[path[0]].keepers.remove(at: path[1])
        }
        for section in changes.sections where section.kind == .delete {
            guard rows.indices.contains(section.index), rows[section.index].keepers.isEmpty else {
                failure = "a section leaves that has rows"
                return
            }
            rows.remove(at: section.index)
        }
        for section in changes.sections where section.kind == .insert {
            guard section.index <= rows.count else {
                failure = "a section comes behind the end"
                return
            }
            rows.insert((section.name ?? -1, []), at: section.index)
        }
        let coming = changes.objects.filter { $0.kind != .update }.compactMap { change in
            change.newIndexPath.map { ($0, change.object) }
        }
        for (path, object) in coming.sorted(by: { $0.0 < $1.0 }) {
            guard rows.indices.contains(path[0]), path[1] <= rows[path[0]].keepers.count else {
                failure = "a row comes to \(path), which is behind the end"
                return
            }
            rows[path[0]].keepers.insert(object, at: path[1])
        }
        sections = rows
    }

    func controller(_ controller: FetchedResultsController<Keeper, Int64>, didFailWith error: any Error) {
        failure = "threw \(error)"
    }

    /// The first difference between the list and that of a yard.
    func difference(from yard: Yard) -> String? {
        if let failure { return failure }
        let expected = rule.rows(yard)
        let found = sections.flatMap { section in
            section.keepers.map { YardListRule.Row(section: section.name, key: $0.key) }
        }
        if found != expected { return "the list has \(found), not \(expected)" }
        if Set(sections.map(\.name)).count != sections.count { return "the sections are \(sections.map(\.name))" }
        if controller.fetchedObjects.map(\.key) != expected.map(\.key) { return "the controller has other objects" }
        return nil
    }
}
