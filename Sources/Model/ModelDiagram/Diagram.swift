/// A picture of a model as values: a box for each entity and composite, with connections between them.
///
/// The ends of the connections refer to positions in `boxes` and in their `rows`.
public struct Diagram: Sendable, Hashable {
    /// The name of the model's version.
    public var title: String
    public var boxes: [Box]
    public var connections: [Connection]
}

extension Diagram {
    /// A difference in a picture of two versions; see ``Diagram/init(from:to:formerNames:)``.
    public enum Change: String, Sendable, Hashable {
        case added, removed, changed

        /// The mark before the name.
        var mark: String {
            switch self {
            case .added: "+ "
            case .removed: "− "
            case .changed: "~ "
            }
        }
    }

    /// An entity or a composite.
    public struct Box: Sendable, Hashable {
        /// The kind of thing that a box represents.
        public enum Kind: Sendable, Hashable {
            case entity, abstractEntity, composite
        }

        public var kind: Kind
        public var name: String
        /// The entry `documentation` of the entity's `userInfo`.
        public var documentation: String?
        public var rows: [Row]
        /// The difference from another version; nil if there is none, and if no versions are compared.
        public var change: Change?
    }

    /// A line of a box: its name, its type, and remarks.
    public struct Row: Sendable, Hashable {
        /// The part of the box that contains a row. The parts follow one another in this order.
        public enum Section: Sendable, Hashable, CaseIterable {
            case attributes, relationships, indexes
        }

        public var section: Section
        public var name: String
        /// The type of an attribute, with `?` when it is optional; the destination and the cardinality of a
        /// relationship; the properties of an index.
        public var detail: String
        /// The deletion rule of a relationship, and unusual settings.
        public var remarks: [String]
        /// The difference from another version.
        public var change: Change?
    }

    /// A line between two boxes.
    public struct Connection: Sendable, Hashable {
        /// The kind of thing that a connection represents.
        public enum Kind: Sendable, Hashable {
            /// From a parent to a child.
            case inheritance
            /// A relationship with its inverse, if it has one; both ends are the same if it is its own inverse.
            case relationship
            /// From an attribute to its composite.
            case composite
        }

        public var kind: Kind
        public var source: End
        public var destination: End
        /// The difference from another version.
        public var change: Change?
    }

    /// The beginning or end of a connection.
    public struct End: Sendable, Hashable {
        public var box: Int
        /// The row that it is fixed to; nil for the box as a whole.
        public var row: Int?
        /// The number of this end's objects that each object of the other end leads to; nil if it does not lead here.
        public var cardinality: Cardinality?
    }
}
