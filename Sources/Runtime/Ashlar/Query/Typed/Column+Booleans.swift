/// Boolean attributes as conditions, as in Swift: `Item.where { $0.isPacked && !$0.isLost }`.
extension Column where Value == Bool {
    /// The condition that the attribute is true.
    ///
    ///     let drafts = Post.where { $0.isDraft.isTrue }
    ///
    /// Most methods also accept the attribute itself: `Post.where { $0.isDraft }`.
    public var isTrue: Condition { Condition(expression) }

    /// Returns the condition that the attribute is false.
    public static prefix func ! (column: Column) -> Condition { !column.isTrue }

    /// Returns the condition that both attributes are true.
    ///
    ///     let posts = Post.where { $0.isDraft && $0.isPinned }
    public static func && (left: Column, right: Column) -> Condition { left.isTrue && right.isTrue }
    /// Returns the condition that the attribute is true and another condition holds.
    ///
    ///     let posts = Post.where { $0.isDraft && $0.likes > 10 }
    public static func && (left: Column, right: consuming Condition) -> Condition { left.isTrue && right }
    /// Returns the condition that another condition holds and the attribute is true.
    ///
    ///     let posts = Post.where { $0.likes > 10 && $0.isDraft }
    public static func && (left: consuming Condition, right: Column) -> Condition { left && right.isTrue }

    /// Returns the condition that at least one of two attributes is true.
    ///
    ///     let posts = Post.where { $0.isDraft || $0.isPinned }
    public static func || (left: Column, right: Column) -> Condition { left.isTrue || right.isTrue }
    /// Returns the condition that the attribute is true or another condition holds.
    ///
    ///     let posts = Post.where { $0.isDraft || $0.likes > 10 }
    public static func || (left: Column, right: consuming Condition) -> Condition { left.isTrue || right }
    /// Returns the condition that another condition holds or the attribute is true.
    ///
    ///     let posts = Post.where { $0.likes > 10 || $0.isDraft }
    public static func || (left: consuming Condition, right: Column) -> Condition { left || right.isTrue }

    /// Returns one value if the attribute is true, and another otherwise, like Swift's `attribute ? first : second`.
    ///
    ///     let posts = Post.order { $0.isPinned.then($0.pinned, else: $0.created).descending }
    ///
    /// - Parameters:
    ///   - first: The value if the attribute is true.
    ///   - second: The value otherwise.
    public func then<Result>(_ first: Column<Result>, else second: Column<Result>) -> Column<Result> {
        isTrue.then(first, else: second)
    }

    /// Returns one value if the attribute is true, and another otherwise, like Swift's `attribute ? first : second`.
    ///
    ///     let posts = Post.order { $0.isPinned.then($0.likes, else: 0).descending }
    ///
    /// - Parameters:
    ///   - first: The value if the attribute is true.
    ///   - second: The value otherwise.
    public func then<Result>(_ first: Column<Result>, else second: Result) -> Column<Result> {
        isTrue.then(first, else: second)
    }

    /// Returns one value if the attribute is true, and another otherwise, like Swift's `attribute ? first : second`.
    ///
    ///     let posts = Post.order { $0.isDraft.then(0, else: $0.likes).descending }
    ///
    /// - Parameters:
    ///   - first: The value if the attribute is true.
    ///   - second: The value otherwise.
    public func then<Result>(_ first: Result, else second: Column<Result>) -> Column<Result> {
        isTrue.then(first, else: second)
    }
}

// Disfavored overloads, which the compiler tries last, so that closures that return conditions do not take longer to
// compile.

extension PersistentModel {
    /// Returns a descriptor for the objects whose attribute is true.
    ///
    ///     let drafts = try context.fetch(Post.where { $0.isDraft })
    ///
    /// - Parameter attribute: The Boolean attribute.
    @_disfavoredOverload
    public static func `where`(_ attribute: (Columns<Self>) -> Column<Bool>) -> FetchDescriptor<Self> {
        FetchDescriptor().where(attribute)
    }
}

extension FetchDescriptor {
    /// Returns the descriptor with a further attribute that must be true.
    ///
    ///     let posts = Post.where { $0.likes > 10 }.where { $0.isDraft }
    ///
    /// - Parameter attribute: The Boolean attribute.
    @_disfavoredOverload
    public consuming func `where`(_ attribute: (Columns<Model>) -> Column<Bool>) -> Self {
        self.where { attribute($0).isTrue }
    }
}

extension GroupedFetch {
    /// Returns the groups whose Boolean attribute, which they are grouped by, is true.
    ///
    /// - Parameter attribute: The Boolean attribute.
    @_disfavoredOverload
    public func having(_ attribute: (Columns<Model>) -> Column<Bool>) -> Self {
        having { attribute($0).isTrue }
    }
}

extension RelatedColumns {
    /// Returns the condition that an attribute is true for at least one of the objects.
    ///
    ///     let posts = Post.where { $0.comments.contains { $0.isRead } }
    ///
    /// - Parameter attribute: The Boolean attribute.
    @_disfavoredOverload
    public func contains(where attribute: (Columns<Model>) throws -> Column<Bool>) rethrows -> Condition {
        try contains { try attribute($0).isTrue }
    }

    /// Returns the condition that an attribute is true for all of the objects; it holds if there are none.
    ///
    ///     let posts = Post.where { $0.comments.allSatisfy { $0.isRead } }
    ///
    /// - Parameter attribute: The Boolean attribute.
    @_disfavoredOverload
    public func allSatisfy(_ attribute: (Columns<Model>) throws -> Column<Bool>) rethrows -> Condition {
        try allSatisfy { try attribute($0).isTrue }
    }

    /// Returns the objects whose attribute is true.
    ///
    ///     let posts = Post.where { $0.comments.filter { $0.isRead }.count > 3 }
    ///
    /// - Parameter attribute: The Boolean attribute.
    @_disfavoredOverload
    public func filter(_ attribute: (Columns<Model>) throws -> Column<Bool>) rethrows -> RelatedColumns {
        try filter { try attribute($0).isTrue }
    }

    /// Returns the number of objects whose attribute is true.
    ///
    ///     let posts = Post.where { $0.comments.count { $0.isRead } > 3 }
    ///
    /// - Parameter attribute: The Boolean attribute.
    @_disfavoredOverload
    public func count(where attribute: (Columns<Model>) throws -> Column<Bool>) rethrows -> Column<Int> {
        try count { try attribute($0).isTrue }
    }
}
