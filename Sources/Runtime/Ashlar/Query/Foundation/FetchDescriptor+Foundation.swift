public import SystemFoundation

/// The predicate and sort descriptors from which a descriptor was created.
///
/// Their meaning is in the descriptor's condition and orders. They cannot be compared themselves, so any two are equal.
struct FoundationForm: Sendable, Hashable, CustomReflectable {
    /// A `Given`. If a descriptor contained the predicate, whose size depends on its type, it would have no fixed
    /// layout and be slow to copy.
    fileprivate var given: (any AnyObject & Sendable)?

    fileprivate final class Given<Model: PersistentModel>: Sendable {
        let predicate: Predicate<Model>?
        let sortBy: [SortDescriptor<Model>]?

        init(_ predicate: Predicate<Model>?, _ sortBy: [SortDescriptor<Model>]?) {
            self.predicate = predicate
            self.sortBy = sortBy
        }
    }

    static func == (left: FoundationForm, right: FoundationForm) -> Bool { true }

    func hash(into hasher: inout Hasher) {}

    /// Foundation cannot describe predicates with Ashlar's own parts, and fails if it has to.
    var customMirror: Mirror { Mirror(self, children: []) }

    var isEmpty: Bool { given == nil }
}

extension FetchDescriptor {
    /// Creates a descriptor from a predicate and sort descriptors of Foundation.
    ///
    /// Use it to keep code that was written for SwiftData.
    ///
    ///     let descriptor = FetchDescriptor(
    ///         predicate: #Predicate<Post> { $0.likes > 10 }, sortBy: [SortDescriptor(\.timestamp, order: .reverse)])
    ///
    /// If the store cannot evaluate them, the fetch throws ``FetchError``.
    ///
    /// - Parameters:
    ///   - predicate: The condition; nil fetches all objects.
    ///   - sortBy: The orders, the most important first.
    public init(predicate: Predicate<Model>? = nil, sortBy: [SortDescriptor<Model>] = []) {
        self.init()
        self.predicate = predicate
        self.sortBy = sortBy
    }

    /// The condition as a predicate of Foundation: another way to set ``condition``.
    ///
    /// It is nil if the condition was made otherwise.
    public var predicate: Predicate<Model>? {
        get { given?.predicate }
        set {
            condition = newValue.map { Condition(whole: PredicateTranslator.condition($0), Model._ashlarEntity) }
            foundationForm.given = FoundationForm.Given(newValue, given?.sortBy)
        }
    }

    /// The orders as sort descriptors of Foundation: another way to set ``sortOrders``.
    ///
    /// It is empty if the orders were made otherwise.
    public var sortBy: [SortDescriptor<Model>] {
        get { given?.sortBy ?? [] }
        set {
            sortOrders = newValue.map(ColumnOrder.init)
            foundationForm.given = FoundationForm.Given(given?.predicate, newValue)
        }
    }

    private var given: FoundationForm.Given<Model>? { foundationForm.given as? FoundationForm.Given<Model> }

    /// Removes the predicate after the condition was set in another way.
    mutating func forgetPredicate() { foundationForm.given = FoundationForm.Given<Model>(nil, given?.sortBy) }

    /// Removes the sort descriptors after the order was set in another way.
    mutating func forgetSortBy() { foundationForm.given = FoundationForm.Given<Model>(given?.predicate, nil) }
}

extension ColumnOrder {
    /// Creates the order of a sort descriptor. If it cannot be translated, the order makes the fetch throw.
    init<Model: PersistentModel>(_ descriptor: SortDescriptor<Model>) {
        let translator = PredicateTranslator(Model._ashlarEntity)
        isAscending = descriptor.order == .forward
        do {
            expression = try translator.sortExpression(descriptor)
        } catch {
            expression = .unsupported(error)
        }
        #if canImport(Darwin)
            collation = descriptor.stringComparator?.textCollation
        #else
            collation = descriptor.keyPath.flatMap(CollatedKeyPath.end)?.collation
        #endif
    }
}

#if canImport(Darwin)
    // On other platforms, Foundation's comparators compare texts only by characters; see CollatedKeyPath.
    extension String.StandardComparator {
        /// The collation with the comparator's order; nil for the order by characters.
        fileprivate var textCollation: TextCollation? {
            var forward = self
            forward.order = .forward
            switch forward {
            case .localized: return .localized
            case .localizedStandard: return .localizedStandard
            default: return nil
            }
        }
    }
#endif

extension PredicateTranslator {
    fileprivate func sortExpression<Model: PersistentModel>(
        _ descriptor: SortDescriptor<Model>
    ) throws(FetchError) -> SQLExpression {
        guard let keyPath = descriptor.keyPath else {
            throw unsupported("a sort descriptor without a key path", "the store orders by columns")
        }
        if keyPath == \Model.persistentModelID { return root.identifier }
        let keyPaths = Model._ashlarKeyPaths
        let end = CollatedKeyPath.end(of: keyPath)
        let name =
            if let end {
                end.suffixes.lazy.compactMap { keyPaths.path(of: keyPath, without: $0) }.first
            } else {
                keyPaths.path(of: keyPath)
            }
        guard let name = name ?? PropertyProbe.name(of: keyPath, in: entity, before: end?.suffixes ?? []) else {
            throw unsupported(
                "a sort key, \(Self.description(of: keyPath))", "it is not a stored attribute of \(entity.name)",
                "order by a column, as in Book.order { $0.author.name.ascending }, or by a name with order(named:)")
        }
        do {
            return try value(attribute(name, of: root), end == nil ? type(of: keyPath).valueType : String.self)
        } catch let error as FetchError {
            throw error
        } catch {
            throw unsupported("the sort key '\(name)'", "\(error)")
        }
    }
}
