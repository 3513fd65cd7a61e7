extension ModelChecker {
    /// Composites become structs, and their leaves columns of every entity that uses them.
    mutating func checkComposites() {
        checkCompositeNames()
        for composite in model.composites {
            checkDifferent(composite.attributes.map { ($0.name, $0.location) }, .duplicateProperty) {
                "Attribute '\(composite.name).\($0)'"
            }
            for attribute in composite.attributes { check(attribute, of: composite) }
        }
        checkCompositeSizes()
    }

    private mutating func checkCompositeNames() {
        var seen: [String: SourceLocation] = [:]
        for composite in model.composites {
            let title = "Composite '\(composite.name)'"
            checkLegal(composite.name, title, at: composite.location)
            guard let first = seen.updateValue(composite.location, forKey: composite.name) else { continue }
            report(
                .duplicateComposite, at: composite.location, "\(title) is declared twice",
                notes: ["Rename or remove one of them; the other is at \(first)"],
                fixes: [.removing(composite.location, "Remove the second")], attribute: "name")
        }
    }

    private mutating func check(_ attribute: Attribute, of composite: Composite) {
        let title = "Attribute '\(composite.name).\(attribute.name)'"
        checkLegal(attribute.name, title, at: attribute.location)
        checkValue(of: attribute, title)
        if attribute.isTransient {
            report(
                .invalidComposite, at: attribute.location, "\(title) is transient, which no part of a composite can be",
                notes: ["Make it a transient attribute of the entity, or have it stored"],
                fixes: [.removing("transient", of: attribute.location, "Have it stored")], attribute: "transient")
        }
        if attribute.derivationExpression != nil {
            report(
                .invalidComposite, at: attribute.location, "\(title) is derived, which no part of a composite can be",
                notes: ["Make it a derived attribute of the entity"],
                fixes: [
                    Diagnostic.Fix(
                        "Make it an ordinary attribute",
                        ["derived", "derivationExpression"].map {
                            Diagnostic.Change(attribute.location, .removeAttribute($0))
                        })
                ], attribute: "derived")
        }
    }

    /// The composite that an attribute names must be in the model.
    mutating func checkComposite(of attribute: Attribute, _ title: String) {
        if let entry = attribute.userInfo.entry("ashlar.swiftType") {
            report(
                .invalidComposite, .warning, at: entry.location,
                "\(title) is a composite, which is a struct of its own, so that 'ashlar.swiftType' has no effect",
                notes: ["Remove the entry, or make the attribute a binary one to store a type of yours as JSON"],
                fixes: [.removing(entry.location, "Remove the entry")])
        }
        let name = attribute.compositeName ?? ""
        if composites[name] != nil { return }
        let proposal = proposal(for: name, among: .composites)
        report(
            .unknownComposite, at: attribute.location,
            name.isEmpty
                ? "\(title) is a composite, but does not say which"
                : "\(title) has the composite '\(name)', which is not in the model",
            notes: [proposal?.note, name.isEmpty ? "Add composite=\"…\"" : "Add the composite"],
            fixes: [proposal?.fix("composite", of: attribute.location)], attribute: "composite")
    }

    /// A composite may neither contain itself nor have more columns than a table can hold.
    private mutating func checkCompositeSizes() {
        let sizes = CompositeSizes(composites)
        for cycle in sizes.cycles {
            guard let composite = cycle.first.flatMap({ composites[$0] }) else { continue }
            let shown = cycle.prefix(10) + (cycle.count > 10 ? ["…"] : []) + [composite.name]
            report(
                .compositeCycle, at: composite.location, "Composite '\(composite.name)' contains itself",
                notes: ["It does so by \(shown.joined(separator: " → "))", "Remove one of these attributes"])
        }
        for composite in model.composites {
            guard let size = sizes.sizes[composite.name] else { continue }
            if size.depth > Composite.greatestDepth {
                report(
                    .invalidComposite, at: composite.location,
                    "Composite '\(composite.name)' has composites within each other "
                        + "more than \(Composite.greatestDepth) deep",
                    notes: ["Take some of them apart"])
            } else if size.leafCount > Composite.greatestLeafCount {
                report(
                    .invalidComposite, at: composite.location,
                    "Composite '\(composite.name)' has more than \(Composite.greatestLeafCount) leaves, "
                        + "with those of the composites within it, and each is a column",
                    notes: ["Take it apart"])
            }
        }
    }

    /// The property with a name, or with a path of names into a composite such as `home.street`.
    func property(named name: String, in scope: PropertyScope) -> PropertyScope.Property? {
        if let declaration = scope.property(named: name) { return declaration.property }
        let names = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard names.count > 1, case .attribute(let attribute)? = scope.property(named: names[0])?.property else {
            return nil
        }
        var path = [attribute]
        for name in names.dropFirst() {
            guard let last = path.last, last.type == .composite, let composite = last.compositeName,
                let next = composites[composite]?.attributes.first(where: { $0.name == name })
            else { return nil }
            path.append(next)
        }
        var leaf = AttributeLeaf(path: path).stored
        leaf.isTransient = attribute.isTransient
        return .attribute(leaf)
    }
}
