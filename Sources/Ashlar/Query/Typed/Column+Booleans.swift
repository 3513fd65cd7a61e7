/// Boolean attributes as conditions, where Swift has them so: `Item.where { $0.isPacked && !$0.isLost }`.
extension Column where Value == Bool {
    /// The attribute itself as a condition: `Item.where { $0.isPacked.isTrue }`, which is the same as
    /// `Item.where { $0.isPacked }`.
    public var isTrue: Condition { Condition(expression) }

    /// Holds when the attribute is false.
    public static prefix func ! (column: Column) -> Condition { !column.isTrue }

    /// Holds when both attributes are true.
    public static func && (left: Column, right: Column) -> Condition { left.isTrue && right.isTrue }
    /// Holds when the attribute is true and the condition holds.
    public static func && (left: Column, right: consuming Condition) -> Condition { left.isTrue && right }
    /// Holds when the condition holds and the attribute is true.
    public static func && (left: consuming Condition, right: Column) -> Condition { left && right.isTrue }

    /// Holds when either attribute is true.
    public static func || (left: Column, right: Column) -> Condition { left.isTrue || right.isTrue }
    /// Holds when the attribute is true or the condition holds.
    public static func || (left: Column, right: consuming Condition) -> Condition { left.isTrue || right }
    /// Holds when the condition holds or the attribute is true.
    public static func || (left: consuming Condition, right: Column) -> Condition { left || right.isTrue }

    /// One value where the attribute is true, else another: Swift's `attribute ? first : second`.
    public func then<Result>(_ first: Column<Result>, else second: Column<Result>) -> Column<Result> {
        isTrue.then(first, else: second)
    }

    /// One value where the attribute is true, else another: Swift's `attribute ? first : second`.
    public func then<Result>(_ first: Column<Result>, else second: Result) -> Column<Result> {
        isTrue.then(first, else: second)
    }

    /// One value where the attribute is true, else another: Swift's `attribute ? first : second`.
    public func then<Result>(_ first: Result, else second: Column<Result>) -> Column<Result> {
        isTrue.then(first, else: second)
    }
}

// The compiler tries what is disfavored last, so that closures which give conditions take no longer to compile.

extension PersistentModel {
    /// Fetches the objects of which an attribute is true: `Item.where { $0.isPacked }`.
    @_disfavoredOverload
    public static func `where`(_ attribute: (Columns<Self>) -> Column<Bool>) -> FetchDescriptor<Self> {
        FetchDescriptor().where(attribute)
    }
}

extension FetchDescriptor {
    /// The descriptor with a further attribute that must be true.
    @_disfavoredOverload
    public consuming func `where`(_ attribute: (Columns<Model>) -> Column<Bool>) -> Self {
        self.where { attribute($0).isTrue }
    }
}

extension GroupedFetch {
    /// The groups of which an attribute that they are grouped by is true.
    @_disfavoredOverload
    public func having(_ attribute: (Columns<Model>) -> Column<Bool>) -> Self {
        having { attribute($0).isTrue }
    }
}

extension RelatedColumns {
    /// Whether an attribute is true of one object at least.
    @_disfavoredOverload
    public func contains(where attribute: (Columns<Model>) throws -> Column<Bool>) rethrows -> Condition {
        try contains { try attribute($0).isTrue }
    }

    /// Whether an attribute is true of every object; true without any.
    @_disfavoredOverload
    public func allSatisfy(_ attribute: (Columns<Model>) throws -> Column<Bool>) rethrows -> Condition {
        try allSatisfy { try attribute($0).isTrue }
    }

    /// The objects of which an attribute is true.
    @_disfavoredOverload
    public func filter(_ attribute: (Columns<Model>) throws -> Column<Bool>) rethrows -> RelatedColumns {
        try filter { try attribute($0).isTrue }
    }

    /// The number of objects of which an attribute is true.
    @_disfavoredOverload
    public func count(where attribute: (Columns<Model>) throws -> Column<Bool>) rethrows -> Column<Int> {
        try count { try attribute($0).isTrue }
    }
}
