import Synchronization

/// Warnings about objects that were inserted and not saved when their context was released.
enum LostInsertions {
    /// The entities that were reported.
    private static let reported = Mutex<Set<String>>([])

    /// Reports each entity once.
    static func report(_ inserted: some Sequence<ManagedObject>) {
        let names = Set(inserted.filter { $0.record.state == .inserted }.map { $0.entity.name })
        for name in names.sorted() where reported.withLock({ $0.insert(name).inserted }) {
            RuntimeWarning.report(
                """
                A ModelContext was released with objects of \(name) that were inserted and not saved. Call save() before, or \
                rollback() to discard them.
                """)
        }
    }
}
