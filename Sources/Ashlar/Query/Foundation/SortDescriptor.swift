#if FoundationEssentials
    public import SystemFoundation

    /// An order by one key, as Foundation's structure of this name is, which `FoundationEssentials` has not.
    public struct SortDescriptor<Compared>: SortComparator, Sendable {
        private let path: PartialKeyPath<Compared> & Sendable
        private let comparison: @Sendable (Compared, Compared) -> ComparisonResult
        /// Whether the least or the greatest comes first.
        public var order: SortOrder

        /// Orders by a key whose values are compared as they are.
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

        /// Orders by a key whose values are compared as they are; nothing comes before everything.
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

        /// What is ordered by.
        public var keyPath: PartialKeyPath<Compared>? { path }

        /// How two values stand to each other in this order.
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
