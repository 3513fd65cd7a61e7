extension ModelChecker {
    /// An index: its properties must exist and be of the kind that it can hold.
    mutating func check(_ index: FetchIndex, of entity: Entity, in scope: PropertyScope) {
        let title = "Index '\(index.name)' of '\(entity.name)'"
        if index.elements.isEmpty {
            report(
                .invalidIndex, at: index.location, "\(title) has no elements", notes: ["Add one, or remove the index"])
        }
        for element in index.elements { check(element, of: index, title, in: scope) }
        if index.kind == .rtree { checkDimensions(of: index, title) }
    }

    private mutating func checkDimensions(of index: FetchIndex, _ title: String) {
        if index.elements.count > 5 {
            report(
                .invalidIndex, at: index.location,
                "\(title) is an R-tree of \(index.elements.count) dimensions, and SQLite's have at most 5",
                notes: ["Split it, or use a binary index"])
        }
        var seen: Set<String> = []
        for element in index.elements {
            guard let name = element.propertyName, !seen.insert(name).inserted else { continue }
            report(
                .invalidIndex, at: element.location, "\(title) is an R-tree and names '\(name)' twice",
                notes: ["Each dimension is a property of its own"])
        }
    }

    private mutating func check(
        _ element: FetchIndex.Element, of index: FetchIndex, _ title: String, in scope: PropertyScope
    ) {
        guard let name = element.propertyName else { return }
        switch property(named: name, in: scope) {
        case nil:
            report(
                .unknownIndexProperty, at: element.location, "\(title) is over '\(name)', which does not exist",
                notes: [suggestion(for: name, among: .properties(scope)), "Name an attribute or a to-one relationship"])
        case .attribute(let attribute): check(attribute, in: index, title, at: element.location)
        case .relationship(let relationship):
            if index.kind == .rtree {
                report(
                    .invalidIndex, at: element.location, "\(title) is an R-tree over the relationship '\(name)'",
                    notes: ["An R-tree holds numbers"])
            } else if relationship.isToMany || relationship.isTransient {
                reportWithoutEffect(name, title, at: element.location)
            }
        case .fetchedProperty: reportWithoutEffect(name, title, at: element.location)
        }
    }

    private mutating func check(
        _ attribute: Attribute, in index: FetchIndex, _ title: String, at location: SourceLocation
    ) {
        guard index.kind == .rtree else {
            if attribute.isTransient || attribute.type == .composite {
                reportWithoutEffect(attribute.name, title, at: location)
            }
            return
        }
        if attribute.isDerived {
            report(
                .invalidIndex, at: location, "\(title) is an R-tree over the derived attribute '\(attribute.name)'",
                notes: ["An R-tree is kept by triggers, as are derived attributes; use a binary index"])
            return
        }
        if attribute.isTransient || !attribute.type.isRTreeCoordinate {
            let kind = attribute.isTransient ? "transient" : "of type \(attribute.type.rawValue)"
            report(
                .invalidIndex, at: location, "\(title) is an R-tree over '\(attribute.name)', which is \(kind)",
                notes: ["An R-tree holds stored numbers and dates; use a binary index for others"])
        }
    }

    // Real models have such indexes, and Core Data builds them without them.
    private mutating func reportWithoutEffect(_ name: String, _ title: String, at location: SourceLocation) {
        report(
            .invalidIndex, .warning, at: location,
            "\(title) is over '\(name)', which is not a column, and so has no effect there",
            notes: ["Name a stored attribute or a to-one relationship"])
    }
}

extension AttributeType {
    /// Whether a value can be a coordinate of an R-tree, which are numbers.
    ///
    /// Decimal numbers are not among them: they are not stored as numbers.
    public var isRTreeCoordinate: Bool {
        switch self {
        case .integer16, .integer32, .integer64, .double, .float, .date: true
        default: false
        }
    }
}
