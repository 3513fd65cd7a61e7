public import SystemFoundation

#if !canImport(Darwin)
    extension SortDescriptor {
        /// Creates a sort descriptor that compares texts as people expect in lists.
        ///
        ///     let byTitle = SortDescriptor(\Post.title, comparator: .localizedStandard)
        ///
        /// On Apple's systems, Foundation has this initialiser with its own comparators. Elsewhere it only compares by
        /// characters. If a later Foundation adds it, that one is preferred.
        ///
        /// - Parameters:
        ///   - keyPath: The text to order by.
        ///   - comparator: The comparison of texts. Foundation has comparators of the same names.
        ///   - order: The direction of the order.
        @_disfavoredOverload public init(
            _ keyPath: KeyPath<Compared, String> & Sendable, comparator: TextCollation, order: SortOrder = .forward
        ) {
            switch comparator {
            case .localized: self.init(sendable(keyPath.appending(path: \.localizedOrder)), order: order)
            case .localizedStandard:
                self.init(sendable(keyPath.appending(path: \.localizedStandardOrder)), order: order)
            }
        }

        /// Creates a sort descriptor that compares optional texts as people expect in lists, with nil first.
        ///
        ///     let byCity = SortDescriptor(\Author.city, comparator: .localizedStandard)
        ///
        /// - Parameters:
        ///   - keyPath: The optional text to order by.
        ///   - comparator: The comparison of texts. Foundation has comparators of the same names.
        ///   - order: The direction of the order.
        @_disfavoredOverload public init(
            _ keyPath: KeyPath<Compared, String?> & Sendable, comparator: TextCollation, order: SortOrder = .forward
        ) {
            switch comparator {
            case .localized: self.init(sendable(keyPath.appending(path: \.localizedOrder)), order: order)
            case .localizedStandard:
                self.init(sendable(keyPath.appending(path: \.localizedStandardOrder)), order: order)
            }
        }
    }

    /// Returns a key path that was created from two sendable ones, although `appending(path:)` does not declare it as
    /// such. `Sendable` has no representation of its own.
    private func sendable<Root, Value>(_ keyPath: KeyPath<Root, Value>) -> any KeyPath<Root, Value> & Sendable {
        unsafeBitCast(keyPath, to: (any KeyPath<Root, Value> & Sendable).self)
    }

    /// A text with an order other than that of its characters. Foundation accepts only its own comparators here, but
    /// also a key path to a part of a property, whose type determines the comparison.
    protocol CollatedText: Comparable {
        static var collation: TextCollation { get }
        var text: String? { get }
    }

    extension CollatedText {
        private static func compare(_ left: Self, _ right: Self) -> Int {
            switch (left.text, right.text) {
            case (let left?, let right?): collation.compare(left, right)
            case (nil, nil): 0
            case (nil, _): -1
            case (_, nil): 1
            }
        }

        static func < (left: Self, right: Self) -> Bool { compare(left, right) < 0 }

        static func == (left: Self, right: Self) -> Bool { compare(left, right) == 0 }
    }

    struct LocalizedText: CollatedText {
        static var collation: TextCollation { .localized }
        let text: String?
    }

    struct LocalizedStandardText: CollatedText {
        static var collation: TextCollation { .localizedStandard }
        let text: String?
    }

    extension String {
        fileprivate var localizedOrder: LocalizedText { LocalizedText(text: self) }
        fileprivate var localizedStandardOrder: LocalizedStandardText { LocalizedStandardText(text: self) }
    }

    extension String? {
        fileprivate var localizedOrder: LocalizedText { LocalizedText(text: self) }
        fileprivate var localizedStandardOrder: LocalizedStandardText { LocalizedStandardText(text: self) }
    }
#endif

/// The key path from a text to its collation.
enum CollatedKeyPath {
    /// Returns the collation at the end of a key path, and the parts of the key path that select it; nil if the key
    /// path ends with the value itself.
    static func end(of keyPath: AnyKeyPath) -> (collation: TextCollation, suffixes: [AnyKeyPath])? {
        #if canImport(Darwin)
            return nil
        #else
            guard let type = type(of: keyPath).valueType as? any CollatedText.Type else { return nil }
            return switch type.collation {
            case .localized: (.localized, [\String.localizedOrder, \String?.localizedOrder])
            case .localizedStandard:
                (.localizedStandard, [\String.localizedStandardOrder, \String?.localizedStandardOrder])
            }
        #endif
    }
}
