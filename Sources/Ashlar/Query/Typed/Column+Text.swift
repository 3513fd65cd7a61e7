/// Text, or optional text: nil has no prefix, contains nothing and matches nothing.
public protocol ColumnText: Sendable {
    /// `Int`, optional where the text is.
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

    /// Whether the text begins with another. Without options, an index on the attribute serves this.
    public func hasPrefix(_ text: String, options: TextOptions = []) -> Condition {
        self.text(.hasPrefix, .value(.text(text)), options)
    }

    /// Whether the text begins with that of another column.
    public func hasPrefix(_ other: Column<some ColumnText>, options: TextOptions = []) -> Condition {
        text(.hasPrefix, other.expression, options)
    }

    /// Whether the text ends with another.
    public func hasSuffix(_ text: String, options: TextOptions = []) -> Condition {
        self.text(.hasSuffix, .value(.text(text)), options)
    }

    /// Whether the text ends with that of another column.
    public func hasSuffix(_ other: Column<some ColumnText>, options: TextOptions = []) -> Condition {
        text(.hasSuffix, other.expression, options)
    }

    /// Whether the text contains another.
    public func contains(_ text: String, options: TextOptions = []) -> Condition {
        self.text(.contains, .value(.text(text)), options)
    }

    /// Whether the text contains that of another column.
    public func contains(_ other: Column<some ColumnText>, options: TextOptions = []) -> Condition {
        text(.contains, other.expression, options)
    }

    /// Whether the text contains another, whatever their case, accents and width: what people expect of a search field.
    ///
    /// The answer does not depend on the locale.
    public func localizedStandardContains(_ text: String) -> Condition { contains(text, options: .localizedStandard) }

    /// Whether the text equals another but for what the options overlook.
    public func isEqual(to text: String, options: TextOptions) -> Condition {
        Condition(.comparison(folded(options), .equal, .value(.text(TextFolding.folded(text, options)))))
    }

    /// Whether the whole text is of a form in which `*` stands for any text, `?` for any one character (a Unicode
    /// scalar), and a backslash for the character after it.
    public func isLike(_ pattern: String, options: TextOptions = []) -> Condition {
        text(.like, .value(.text(pattern)), options)
    }

    /// Whether a regular expression, in the syntax of Foundation's `NSRegularExpression`, matches the whole text.
    ///
    /// The fetch throws when the pattern is no regular expression.
    public func matches(_ pattern: String, options: TextOptions = []) -> Condition {
        text(.matches, .value(.text(pattern)), options)
    }

    func folded(_ options: TextOptions) -> SQLExpression {
        options.isEmpty ? expression : .function(.fold, [expression, .value(.integer(Int64(options.rawValue)))])
    }

    /// The text in lower case.
    public func lowercased() -> Column { Column(.function(.lowercase, [expression]), coding) }

    /// The text in upper case.
    public func uppercased() -> Column { Column(.function(.uppercase, [expression]), coding) }

    /// The text without what the options overlook, to compare columns with each other or to order by.
    public func folding(_ options: TextOptions) -> Column { Column(folded(options), coding) }

    /// The number of characters.
    public var count: Column<Value._AshlarCount> {
        Column<Value._AshlarCount>(.function(.characterCount, [expression]), Value._AshlarCount.columnCoding)
    }

    /// Whether the text has no characters; false for nil.
    public var isEmpty: Condition { Condition(.comparison(expression, .equal, .value(.text("")))) }
}
