import AshlarSQLite

// Foundation has these only on Apple's platforms, but the macro uses them on all. Functions of the same names in a
// later Foundation are preferred, so that no call becomes ambiguous.
#if !canImport(Darwin)
    public import SystemFoundation

    extension PredicateExpressions {
        /// The expression of `localizedStandardContains` in a predicate: whether a text contains another, ignoring
        /// case, accents and width.
        ///
        /// `#Predicate` creates it.
        public struct StringLocalizedStandardContains<Root: PredicateExpression, Other: PredicateExpression>:
            PredicateExpression
        where Root.Output == String, Other.Output == String {
            /// The type of the result, as Foundation's `PredicateExpression` requires.
            public typealias Output = Bool

            /// The text to search.
            public let root: Root
            /// The text to find.
            public let other: Other

            /// Evaluates the expression in memory, as Foundation requires; a fetch translates it to SQL instead.
            public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
                let text = TextFolding.folded(try root.evaluate(bindings), .localizedStandard)
                let other = TextFolding.folded(try other.evaluate(bindings), .localizedStandard)
                return other.isEmpty || text.utf8.contains(other.utf8)
            }
        }

        /// The expression of `caseInsensitiveCompare` in a predicate: the order of two texts, ignoring case.
        ///
        /// `#Predicate` creates it.
        public struct StringCaseInsensitiveCompare<Root: PredicateExpression, Other: PredicateExpression>:
            PredicateExpression
        where Root.Output == String, Other.Output == String {
            /// The type of the result, as Foundation's `PredicateExpression` requires.
            public typealias Output = ComparisonResult

            /// The first text.
            public let root: Root
            /// The second text.
            public let other: Other

            /// Evaluates the expression in memory, as Foundation requires; a fetch translates it to SQL instead.
            public func evaluate(_ bindings: PredicateBindings) throws -> ComparisonResult {
                let first = SQLiteValue.text(TextFolding.folded(try root.evaluate(bindings), .caseInsensitive))
                let second = SQLiteValue.text(TextFolding.folded(try other.evaluate(bindings), .caseInsensitive))
                let order = SQLiteValue.compare(first, second)
                return order < 0 ? .orderedAscending : (order > 0 ? .orderedDescending : .orderedSame)
            }
        }

        /// The expression of `localizedCompare` in a predicate: the order of two texts in the current locale.
        ///
        /// `#Predicate` creates it.
        public struct StringLocalizedCompare<Root: PredicateExpression, Other: PredicateExpression>:
            PredicateExpression
        where Root.Output == String, Other.Output == String {
            /// The type of the result, as Foundation's `PredicateExpression` requires.
            public typealias Output = ComparisonResult

            /// The first text.
            public let root: Root
            /// The second text.
            public let other: Other

            /// Evaluates the expression in memory, as Foundation requires; a fetch translates it to SQL instead.
            public func evaluate(_ bindings: PredicateBindings) throws -> ComparisonResult {
                let (left, right) = (try root.evaluate(bindings), try other.evaluate(bindings))
                return ComparisonResult(rawValue: TextCollation.localized.compare(left, right)) ?? .orderedSame
            }
        }

        /// The predicate macro makes this of `localizedStandardContains`.
        // swift-format-ignore: AlwaysUseLowerCamelCase

        /// Builds the expression of `localizedStandardContains` for `#Predicate`.
        @_disfavoredOverload
        public static func build_localizedStandardContains<Root, Other>(
            _ root: Root, _ other: Other
        ) -> StringLocalizedStandardContains<Root, Other> { StringLocalizedStandardContains(root: root, other: other) }

        /// The predicate macro makes this of `caseInsensitiveCompare`.
        // swift-format-ignore: AlwaysUseLowerCamelCase

        /// Builds the expression of `caseInsensitiveCompare` for `#Predicate`.
        @_disfavoredOverload
        public static func build_caseInsensitiveCompare<Root, Other>(
            _ root: Root, _ other: Other
        ) -> StringCaseInsensitiveCompare<Root, Other> { StringCaseInsensitiveCompare(root: root, other: other) }

        /// The predicate macro makes this of `localizedCompare`.
        // swift-format-ignore: AlwaysUseLowerCamelCase

        /// Builds the expression of `localizedCompare` for `#Predicate`.
        @_disfavoredOverload
        public static func build_localizedCompare<Root, Other>(
            _ root: Root, _ other: Other
        ) -> StringLocalizedCompare<Root, Other> { StringLocalizedCompare(root: root, other: other) }
    }

    extension PredicateExpressions.StringLocalizedStandardContains: Sendable where Root: Sendable, Other: Sendable {}
    extension PredicateExpressions.StringLocalizedStandardContains: Encodable where Root: Encodable, Other: Encodable {}
    extension PredicateExpressions.StringLocalizedStandardContains: Decodable where Root: Decodable, Other: Decodable {}
    extension PredicateExpressions.StringLocalizedStandardContains: StandardPredicateExpression
    where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}

    extension PredicateExpressions.StringCaseInsensitiveCompare: Sendable where Root: Sendable, Other: Sendable {}
    extension PredicateExpressions.StringCaseInsensitiveCompare: Encodable where Root: Encodable, Other: Encodable {}
    extension PredicateExpressions.StringCaseInsensitiveCompare: Decodable where Root: Decodable, Other: Decodable {}
    extension PredicateExpressions.StringCaseInsensitiveCompare: StandardPredicateExpression
    where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}

    extension PredicateExpressions.StringLocalizedCompare: Sendable where Root: Sendable, Other: Sendable {}
    extension PredicateExpressions.StringLocalizedCompare: Encodable where Root: Encodable, Other: Encodable {}
    extension PredicateExpressions.StringLocalizedCompare: Decodable where Root: Decodable, Other: Decodable {}
    extension PredicateExpressions.StringLocalizedCompare: StandardPredicateExpression
    where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}
#endif
