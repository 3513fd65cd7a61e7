/// One piece of work that every contestant does in its own way.
package protocol Workload<Prepared>: SendableMetatype {
    /// The common data of a table's workloads, such as the stores that they work on.
    associatedtype Prepared

    /// The name that the table shows and that `--only` takes.
    static var name: String { get }
    /// The work of one run, such as `100,000 rows`.
    static var unit: String { get }

    /// Whether it measures SQLite's work with files, such as the write-ahead log.
    static var needsFile: Bool { get }

    /// Whether a part of the workload runs on the main thread, as lists of an app do.
    static var usesMainThread: Bool { get }

    /// Opens the connections that the contestants use in all rounds.
    init(_ prepared: Prepared) throws

    /// Does the work once. Only the parts that `round` measures count.
    func run(_ contestant: Contestant, _ round: Round) throws

    /// The contestants that take part.
    static var contestants: [Contestant] { get }
}

extension Workload {
    package static var needsFile: Bool { false }
    package static var usesMainThread: Bool { false }
}
