/// An index that the author declares.
public struct FetchIndex: Sendable, Hashable {
    /// The structure of an index.
    public enum Kind: String, Sendable, Hashable {
        /// SQLite's ordinary index, a B-tree.
        case binary
        /// A spatial index over one to five numeric properties.
        case rtree
        /// An index of the words in one or more strings, SQLite's FTS5.
        case fullText = "fulltext"
    }

    /// One property or expression of an index.
    public struct Element: Sendable, Hashable {
        public var propertyName: String?
        public var expression: String?
        /// Where the expression's characters are; nil when that is not known.
        public var expressionLocation: StringLocation?
        public var expressionType: String?
        public var isAscending: Bool
        public var location: SourceLocation

        public init(
            propertyName: String? = nil, expression: String? = nil, expressionType: String? = nil,
            isAscending: Bool = true, location: SourceLocation = SourceLocation(file: "")
        ) {
            self.propertyName = propertyName
            self.expression = expression
            self.expressionType = expressionType
            self.isAscending = isAscending
            self.location = location
        }
    }

    public var name: String
    public var kind: Kind
    public var elements: [Element]
    /// The options for texts in a full-text index; other indexes ignore them.
    public var fullText = FullTextOptions()
    /// The predicate of a partial index.
    public var partialIndexPredicate: String?
    /// Where the predicate's characters are; nil when that is not known.
    public var predicateLocation: StringLocation?
    public var userInfo: UserInfo
    public var location: SourceLocation

    public init(
        name: String, kind: Kind = .binary, elements: [Element], partialIndexPredicate: String? = nil,
        userInfo: UserInfo = UserInfo(), location: SourceLocation = SourceLocation(file: "")
    ) {
        self.name = name
        self.kind = kind
        self.elements = elements
        self.partialIndexPredicate = partialIndexPredicate
        self.userInfo = userInfo
        self.location = location
    }
}
