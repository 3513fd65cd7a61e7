/// One piece of work that every contestant does in its own way.
package protocol Workload<Prepared>: SendableMetatype {
    /// What all workloads of a table use, such as the stores that they work on.
    associatedtype Prepared

    /// The name that the table shows and that `--only` takes.
    static var name: String { get }
    /// What one run of it is, such as `100,000 rows`.
    static var unit: String { get }

    /// Whether it is about what SQLite does with files, the write-ahead log say.
    static var needsFile: Bool { get }

    /// Whether a part of the workload runs on the main thread, as lists of an app do.
    static var usesMainThread: Bool { get }

    /// Opens what the contestants use in all rounds.
    init(_ prepared: Prepared) throws

    /// Does the work once. What `round` measures counts; what is done before and after does not.
    func run(_ contestant: Contestant, _ round: Round) throws

    /// Those that take part.
    static var contestants: [Contestant] { get }
}

extension Workload {
    package static var needsFile: Bool { false }
    package static var usesMainThread: Bool { false }
}
