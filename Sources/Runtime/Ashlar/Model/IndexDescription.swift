/// An index that finds objects of an entity. Generated code creates it.
///
/// ``EntityDescription/indexes`` lists them.
///
///     for index in Post.entity.indexes { print(index.name, index.kind) }
///
/// Core Data's counterpart is `NSFetchIndexDescription`.
public struct IndexDescription: Sendable, Hashable {
    /// The kind of an index.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Kind: String, Sendable, Hashable {
        /// An ordinary SQLite index, in the order of its columns.
        case binary
        /// A spatial index, in which each column is a dimension.
        case rtree
    }

    /// One column of an index.
    public struct Element: Sendable, Hashable {
        /// The column's name in the table; nil for an expression.
        public var column: String?
        /// Whether the index has the greatest values first.
        public var isDescending: Bool

        /// Creates an element, for generated code.
        @_spi(Generated) public init(_ column: String?, isDescending: Bool = false) {
            self.column = column
            self.isDescending = isDescending
        }
    }

    /// The name of the fetch index in the model, or its name in the store if the model gives none.
    public var name: String
    /// The name in the store: of the index, or of the R-tree's virtual table.
    public var storeName: String
    /// The kind of the index.
    public var kind: Kind
    /// The indexed columns, in the order of the index.
    public var elements: [Element]
    /// Whether the index may omit objects of the entity for other reasons than a dimension that is NULL.
    public var isPartial: Bool

    /// Creates a description, for generated code.
    @_spi(Generated) public init(
        _ name: String, storeName: String? = nil, kind: Kind = .binary, elements: [Element], isPartial: Bool = false
    ) {
        self.name = name
        self.storeName = storeName ?? name
        self.kind = kind
        self.elements = elements
        self.isPartial = isPartial
    }
}

/// An R-tree of an entity, with those of its columns that are never NULL for the entity's objects.
struct RTreeDescription: Sendable, Hashable {
    let index: IndexDescription
    private let requiredColumns: [String]

    init(index: IndexDescription, requiredColumns: [String]) {
        self.index = index
        let columns = index.elements.compactMap(\.column)
        self.requiredColumns = requiredColumns.filter { columns.contains($0) }
    }

    /// Returns whether a column has a value in all rows. A column of a subentity is NULL in other rows.
    func isNeverNull(_ column: String) -> Bool { requiredColumns.contains(column) }
}
