#if FoundationEssentials
    public import SystemFoundation

    /// An order by one key, in place of Foundation's structure of this name.
    ///
    /// It exists only with `FoundationEssentials`, which has no `SortDescriptor`.
    public struct SortDescriptor<Compared>: SortComparator, Sendable {
        private let path: PartialKeyPath<Compared> & Sendable
        private let comparison: @Sendable (Compared, Compared) -> ComparisonResult
        /// The direction of the order.
        public var order: SortOrder

        /// Creates an order by a key whose values are `Comparable`.
        ///
        /// - Parameters:
        ///   - keyPath: The key to order by.
        ///   - order: The direction of the order.
        public init<Value: Comparable>(
            _ keyPath: KeyPath<Compared, Value> & Sendable, order: SortOrder = .forward
        ) {
            path = keyPath
            self.order = order
            comparison = { left, right in
                let (left, right) = (left[keyPath: keyPath], right[keyPath: keyPath])
                return left < right ? .orderedAscending : right < left ? .orderedDescending : .orderedSame
            }
        }

        /// Creates an order by an optional key whose values are `Comparable`; nil comes first.
        ///
        /// - Parameters:
        ///   - keyPath: The key to order by.
        ///   - order: The direction of the order.
        public init<Value: Comparable>(
            _ keyPath: KeyPath<Compared, Value?> & Sendable, order: SortOrder = .forward
        ) {
            path = keyPath
            self.order = order
            comparison = { left, right in
                switch (left[keyPath: keyPath], right[keyPath: keyPath]) {
                case (nil, nil): .orderedSame
                case (nil, _): .orderedAscending
                case (_, nil): .orderedDescending
                case (let left?, let right?):
                    left < right ? .orderedAscending : right < left ? .orderedDescending : .orderedSame
                }
            }
        }

        /// The key to order by.
        public var keyPath: PartialKeyPath<Compared>? { path }

        /// Returns the order of two values.
        public func compare(_ left: Compared, _ right: Compared) -> ComparisonResult {
            switch (order, comparison(left, right)) {
            case (.reverse, .orderedAscending): .orderedDescending
            case (.reverse, .orderedDescending): .orderedAscending
            case (_, let result): result
            }
        }

        public static func == (left: SortDescriptor, right: SortDescriptor) -> Bool {
            left.path == right.path && left.order == right.order
        }

        public func hash(into hasher: inout Hasher) {
            hasher.combine(path)
            hasher.combine(order)
        }
    }
#endif
