public import DataModel
import RelationalSchema

/// The indexes that a model lacks, and those that it has in vain.
public struct IndexAdvice: Sendable {
    /// An index to add to the model.
    public struct Addition: Sendable {
        public var index: ProposedIndex
        /// The name that the model can give it.
        public var name: String
        /// The place of the entity that is to declare it.
        public var entityLocation: SourceLocation
        /// The positions of the queries that use it.
        public var queries: [Int]

        /// The change of the model that adds it.
        public var change: Diagnostic.Change {
            Diagnostic.Change(entityLocation, .addChild(index.newElement(named: name)))
        }

        /// The element in the form in which it is pasted into the model.
        public var lines: [String] {
            let element = index.newElement(named: name)
            func text(_ element: Diagnostic.NewElement) -> String {
                element.name + element.attributes.map { " \($0.name)=\"\($0.value)\"" }.joined()
            }
            return ["<\(text(element))>"] + element.children.map { "    <\(text($0))/>" } + ["</\(element.name)>"]
        }
    }

    /// The present query plan of SQLite, and the plan with a proposed index.
    public struct Finding: Sendable {
        public var query: AdvisedQuery
        public var before: QueryPlan
        /// The plan with all additions; nil if nothing gets better.
        public var after: QueryPlan?
        /// The reason why nothing gets better, for a query that scans or sorts; nil if there is nothing to report.
        public var reason: String?
    }

    /// An index of the model to take away.
    public struct Removal: Sendable {
        public enum Reason: Sendable, Hashable {
            /// No query uses it.
            case unused
            /// Another index, by its name in SQL, begins with the same columns.
            case beginningOf(String)
        }

        public var entityName: String
        /// The name of the index, or of the attribute that is marked as indexed.
        public var name: String
        public var location: SourceLocation
        public var reason: Reason
        /// Whether it is a `fetchIndex`, and not an attribute's mark.
        public var isFetchIndex: Bool

        /// The change of the model that takes it away.
        public var change: Diagnostic.Change {
            Diagnostic.Change(location, isFetchIndex ? .remove : .removeAttribute("indexed"))
        }
    }

    /// A statement that could not be explained.
    public struct Skipped: Sendable, Hashable {
        public var query: AdvisedQuery
        public var reason: String
    }

    /// The indexes to add, by entity.
    public internal(set) var additions: [Addition] = []
    /// The queries that were explained, in the order in which they were given.
    public internal(set) var findings: [Finding] = []
    /// The indexes to take away, by entity.
    public var removals: [Removal] = []
    /// The statements that could not be explained.
    public internal(set) var skipped: [Skipped] = []

    /// Whether there is nothing to do.
    public var isEmpty: Bool { additions.isEmpty && removals.isEmpty }
}
