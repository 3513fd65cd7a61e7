/// A text or an optional text, as the value of a column.
///
/// A nil text has no prefix, contains nothing and matches nothing.
public protocol ColumnText: Sendable {
    /// `Int`, or an optional one for an optional text.
    associatedtype _AshlarCount: ColumnNumber
}

extension String: ColumnText {
    public typealias _AshlarCount = Int
}

extension Optional: ColumnText where Wrapped == String {
    public typealias _AshlarCount = Int?
}

extension Column where Value: ColumnText {
    private func text(
        _ comparison: SQLExpression.TextComparison, _ pattern: SQLExpression, _ options: TextOptions
    ) -> Condition {
        Condition(.text(expression, comparison, pattern, options))
    }

    /// Returns the condition that the text begins with another text.
    ///
    /// Without options, an index on the attribute speeds it up.
    ///
    ///     let posts = Post.where { $0.title.hasPrefix("Great") }
    ///
    /// - Parameters:
    ///   - text: The beginning.
    ///   - options: The differences to ignore.
    public func hasPrefix(_ text: String, options: TextOptions = []) -> Condition {
        self.text(.hasPrefix, .value(.text(text)), options)
    }

    /// Returns the condition that the text begins with that of another column.
    ///
    ///     let posts = Post.where { $0.text.hasPrefix($0.title) }
    ///
    /// - Parameters:
    ///   - other: The column of the beginning.
    ///   - options: The differences to ignore.
    public func hasPrefix(_ other: Column<some ColumnText>, options: TextOptions = []) -> Condition {
        text(.hasPrefix, other.expression, options)
    }

    /// Returns the condition that the text ends with another text.
    ///
    ///     let posts = Post.where { $0.title.hasSuffix("Wall") }
    ///
    /// - Parameters:
    ///   - text: The end.
    ///   - options: The differences to ignore.
    public func hasSuffix(_ text: String, options: TextOptions = []) -> Condition {
        self.text(.hasSuffix, .value(.text(text)), options)
    }

    /// Returns the condition that the text ends with that of another column.
    ///
    ///     let posts = Post.where { $0.text.hasSuffix($0.title) }
    ///
    /// - Parameters:
    ///   - other: The column of the end.
    ///   - options: The differences to ignore.
    public func hasSuffix(_ other: Column<some ColumnText>, options: TextOptions = []) -> Condition {
        text(.hasSuffix, other.expression, options)
    }

    /// Returns the condition that the text contains another text.
    ///
    ///     let posts = Post.where { $0.title.contains("wall", options: .caseInsensitive) }
    ///
    /// For large tables, a full-text index is faster; see ``FullTextColumn``.
    ///
    /// - Parameters:
    ///   - text: The text to find.
    ///   - options: The differences to ignore.
    public func contains(_ text: String, options: TextOptions = []) -> Condition {
        self.text(.contains, .value(.text(text)), options)
    }

    /// Returns the condition that the text contains that of another column.
    ///
    ///     let posts = Post.where { $0.text.contains($0.title) }
    ///
    /// - Parameters:
    ///   - other: The column of the text to find.
    ///   - options: The differences to ignore.
    public func contains(_ other: Column<some ColumnText>, options: TextOptions = []) -> Condition {
        text(.contains, other.expression, options)
    }

    /// Returns the condition that the text contains another, ignoring case, accents and width.
    ///
    /// Use it for search fields. The result does not depend on the locale.
    ///
    ///     let posts = Post.where { $0.title.localizedStandardContains(typed) }
    ///
    /// - Parameter text: The text to find.
    public func localizedStandardContains(_ text: String) -> Condition { contains(text, options: .localizedStandard) }

    /// Returns the condition that the text equals another one, apart from ignored differences.
    ///
    ///     let authors = Author.where { $0.name.isEqual(to: "ada", options: .caseInsensitive) }
    ///
    /// - Parameters:
    ///   - text: The other text.
    ///   - options: The differences to ignore.
    public func isEqual(to text: String, options: TextOptions) -> Condition {
        Condition(.comparison(folded(options), .equal, .value(.text(TextFolding.folded(text, options)))))
    }

    /// Returns the condition that the whole text matches a pattern with wildcards.
    ///
    /// In the pattern, `*` matches any text, and `?` any one character (a Unicode scalar). A backslash makes the next
    /// character literal.
    ///
    ///     let posts = Post.where { $0.title.isLike("IMG_????.*") }
    ///
    /// - Parameters:
    ///   - pattern: The pattern.
    ///   - options: The differences to ignore.
    public func isLike(_ pattern: String, options: TextOptions = []) -> Condition {
        text(.like, .value(.text(pattern)), options)
    }

    /// Returns the condition that a regular expression matches the whole text.
    ///
    /// The syntax is that of Foundation's `NSRegularExpression`. If the pattern is invalid, the fetch throws
    /// ``FetchError/invalidRegularExpression(_:reason:)``.
    ///
    ///     let posts = Post.where { $0.text.matches("[0-9]{4}.*") }
    ///
    /// - Parameters:
    ///   - pattern: The regular expression.
    ///   - options: The differences to ignore.
    public func matches(_ pattern: String, options: TextOptions = []) -> Condition {
        text(.matches, .value(.text(pattern)), options)
    }

    func folded(_ options: TextOptions) -> SQLExpression {
        options.isEmpty ? expression : .function(.fold, [expression, .value(.integer(Int64(options.rawValue)))])
    }

    /// Returns the text in lower case.
    ///
    ///     let posts = Post.order { $0.title.lowercased().ascending }
    public func lowercased() -> Column { Column(.function(.lowercase, [expression]), coding) }

    /// Returns the text in upper case.
    ///
    ///     let posts = Post.order { $0.title.uppercased().ascending }
    public func uppercased() -> Column { Column(.function(.uppercase, [expression]), coding) }

    /// Returns the text without the differences that options ignore, to compare columns or to order by.
    ///
    ///     let posts = Post.where { $0.title.folding(.localizedStandard) == $0.text.folding(.localizedStandard) }
    ///
    /// - Parameter options: The differences to ignore.
    public func folding(_ options: TextOptions) -> Column { Column(folded(options), coding) }

    /// The number of characters of the text.
    ///
    ///     let posts = Post.where { $0.title.count > 80 }
    public var count: Column<Value._AshlarCount> {
        Column<Value._AshlarCount>(.function(.characterCount, [expression]), Value._AshlarCount.columnCoding)
    }

    /// The condition that the text has no characters; false for nil.
    ///
    ///     let posts = Post.where { $0.text.isEmpty }
    public var isEmpty: Condition { Condition(.comparison(expression, .equal, .value(.text("")))) }
}
