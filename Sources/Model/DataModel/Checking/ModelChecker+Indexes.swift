extension ModelChecker {
    /// An index: its properties must exist and be of the kind that it can hold.
    mutating func check(_ index: FetchIndex, of entity: Entity, in scope: PropertyScope) {
        let title = "Index '\(index.name)' of '\(entity.name)'"
        if index.elements.isEmpty {
            report(
                .invalidIndex, at: index.location, "\(title) has no elements", notes: ["Add one, or remove the index"],
                fixes: [.removing(index.location, isSafe: true, "Remove the index")])
        }
        for element in index.elements { check(element, of: index, title, in: scope) }
        switch index.kind {
        case .binary: break
        case .rtree: checkDimensions(of: index, title)
        case .fullText: checkColumns(of: index, title)
        }
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
                notes: ["Each dimension is a property of its own"],
                fixes: [.removing(element.location, "Remove the second")], attribute: "property")
        }
    }

    private mutating func check(
        _ element: FetchIndex.Element, of index: FetchIndex, _ title: String, in scope: PropertyScope
    ) {
        guard let name = element.propertyName else { return }
        let declaration = scope.property(named: name)
        switch property(named: name, in: scope) {
        case nil:
            let proposal = proposal(for: name, among: .properties(scope))
            report(
                .unknownIndexProperty, at: element.location, "\(title) is over '\(name)', which does not exist",
                notes: [proposal?.note, "Name an attribute or a to-one relationship"],
                fixes: [proposal?.replacement(in: element.location), removal(of: element, in: index)],
                attribute: "property")
        case .attribute(let attribute) where index.kind == .fullText:
            checkText(attribute, in: index, title, element)
        case .attribute(let attribute): check(attribute, in: index, title, element)
        case .relationship where index.kind == .fullText, .fetchedProperty where index.kind == .fullText:
            reportNoText(name, "is no attribute", title, element, in: index)
        case .relationship(let relationship):
            if index.kind == .rtree {
                report(
                    .invalidIndex, at: element.location, "\(title) is an R-tree over the relationship '\(name)'",
                    notes: ["An R-tree holds numbers"], fixes: [removal(of: element, in: index)],
                    attribute: "property")
            } else if relationship.isToMany || relationship.isTransient
                || columnOwner(of: relationship, at: declaration?.entity) != nil
            {
                reportWithoutEffect(name, title, element, in: index)
            }
        case .fetchedProperty: reportWithoutEffect(name, title, element, in: index)
        }
    }

    private mutating func check(
        _ attribute: Attribute, in index: FetchIndex, _ title: String, _ element: FetchIndex.Element
    ) {
        guard index.kind == .rtree else {
            if attribute.isTransient || attribute.type == .composite {
                reportWithoutEffect(attribute.name, title, element, in: index)
            }
            return
        }
        if attribute.isDerived {
            report(
                .invalidIndex, at: element.location,
                "\(title) is an R-tree over the derived attribute '\(attribute.name)'",
                notes: ["An R-tree is kept by triggers, as are derived attributes; use a binary index"],
                attribute: "property")
            return
        }
        if attribute.isTransient || !attribute.type.isRTreeCoordinate {
            let kind = attribute.isTransient ? "transient" : "of type \(attribute.type.rawValue)"
            report(
                .invalidIndex, at: element.location,
                "\(title) is an R-tree over '\(attribute.name)', which is \(kind)",
                notes: ["An R-tree holds stored numbers and dates; use a binary index for others"],
                fixes: [
                    Diagnostic.Fix(
                        "Make it a binary index",
                        index.elements.map { Diagnostic.Change($0.location, .setAttribute("type", to: "Binary")) })
                ], attribute: "property")
        }
    }

    // Real models have such indexes, and Core Data builds them without them.
    private mutating func reportWithoutEffect(
        _ name: String, _ title: String, _ element: FetchIndex.Element, in index: FetchIndex
    ) {
        report(
            .invalidIndex, .warning, at: element.location,
            "\(title) is over '\(name)', which is not a column, and so has no effect there",
            notes: ["Name a stored attribute or a to-one relationship that is stored here"],
            fixes: [removal(of: element, in: index)], attribute: "property")
    }

    /// Leaves the element out of the index, or removes the index if it has no other element.
    func removal(of element: FetchIndex.Element, in index: FetchIndex) -> Diagnostic.Fix {
        index.elements.count == 1
            ? .removing(index.location, "Remove the index")
            : .removing(element.location, "Leave it out of the index")
    }

    /// An index is redundant if another one begins with the same elements.
    mutating func checkRedundantIndexes(of entity: Entity) {
        let indexes = entity.indexes.filter {
            $0.kind == .binary && $0.partialIndexPredicate == nil && !$0.elements.isEmpty
        }
        // Comparing each with each takes time that grows with the square of their number.
        guard indexes.count > 1, indexes.count <= 50 else { return }
        for (position, index) in indexes.enumerated() {
            let longer = indexes.enumerated().first { other, longer in
                other != position && longer.begins(with: index)
                    && (longer.elements.count > index.elements.count || other < position)
            }
            guard let longer = longer?.element, SQLiteName.folded(longer.name) != SQLiteName.folded(index.name) else {
                continue
            }
            let isSame = longer.elements.count == index.elements.count
            report(
                .redundantIndex, at: index.location,
                "Index '\(index.name)' of '\(entity.name)' "
                    + (isSame ? "is the same as '\(longer.name)'" : "is the beginning of '\(longer.name)'"),
                notes: ["Each index costs time when objects are saved; SQLite searches '\(longer.name)' just as well"],
                fixes: [.removing(index.location, "Remove the index")])
        }
    }
}

extension FetchIndex {
    fileprivate func begins(with other: FetchIndex) -> Bool {
        elements.count >= other.elements.count
            && zip(elements, other.elements).allSatisfy {
                $0.propertyName == $1.propertyName && $0.expression == $1.expression
                    && $0.isAscending == $1.isAscending
            }
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
