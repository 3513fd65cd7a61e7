extension ModelChecker {
    /// Entities are tables: their names must be legal, and differ in more than case.
    mutating func checkEntityNames() {
        checkDifferent(model.entities.map { ($0.name, $0.location) }, .duplicateEntity) { "Entity '\($0)'" }
        for entity in model.entities {
            let title = "Entity '\(entity.name)'"
            checkLegal(entity.name, title, at: entity.location) { $0.renaming(entity) }
            if SQLiteName.folded(entity.name).hasPrefix("sqlite_") {
                report(
                    .reservedName, .error, at: entity.location,
                    "\(title) has a name that begins with 'sqlite_', which SQLite keeps for itself",
                    notes: ["Rename it, and give it the old name as its renaming identifier"],
                    fixes: [renaming(entity)], attribute: "name")
            }
            checkGeneratedClass(of: entity)
            checkSuperclass(of: entity)
        }
    }

    /// The title is the value of an attribute that can be read as text.
    mutating func checkTitle(of entity: Entity, in scope: PropertyScope) {
        guard let entry = entity.userInfo.entry(UserInfo.titleKey) else { return }
        if scope.property(named: entry.value).map(Self.canBeTitle) == true { return }
        let names = scope.names.filter { scope.property(named: $0).map(Self.canBeTitle) == true }
        let similar = Spelling.closest(to: entry.value, among: names)
        report(
            .invalidValue, at: entry.location,
            "'\(UserInfo.titleKey)' of entity '\(entity.name)' is '\(entry.value)', which is not an attribute with readable values",
            notes: [
                similar.map { "Did you mean '\($0)'?" },
                "Write the name of a stored attribute that is not Binary, Transformable or Composite",
            ],
            fixes: [similar.map { .setting("value", to: $0, of: entry.location) }])
    }

    private static func canBeTitle(_ declaration: PropertyScope.Declaration) -> Bool {
        guard case .attribute(let attribute) = declaration.property, !attribute.isTransient else { return false }
        switch attribute.type {
        case .binary, .transformable, .composite, .undefined, .objectID: return false
        default: return true
        }
    }

    /// The class of an entity with a parent inherits from the parent's.
    private mutating func checkSuperclass(of entity: Entity) {
        guard let entry = entity.userInfo.entry(UserInfo.superclassKey) else { return }
        let parts = entry.value.split(separator: ".", omittingEmptySubsequences: false)
        if entity.parentName == nil, parts.allSatisfy({ SQLiteName.isLegal(String($0)) }) { return }
        report(
            .invalidValue, at: entry.location,
            entity.parentName == nil
                ? "Entity '\(entity.name)' asks for the superclass '\(entry.value)', which is not the name of a class"
                : "Entity '\(entity.name)' asks for a superclass, but its class inherits from that of its parent",
            notes: ["Write the name of a class that inherits from ManagedObject, on an entity without a parent"])
    }

    /// The class that is generated needs a name that no entity's class has.
    private mutating func checkGeneratedClass(of entity: Entity) {
        guard let entry = entity.userInfo.entry(UserInfo.generatedClassKey) else { return }
        let taken = model.entities.flatMap {
            [$0.name, $0.representedClassName.map { String($0.drop { $0 == "." }) }].compactMap(\.self)
        }
        let others = model.entities.filter { $0.name != entity.name }
        let isUsed = others.contains { $0.userInfo[UserInfo.generatedClassKey] == entry.value }
        if SQLiteName.isLegal(entry.value), !taken.contains(entry.value), !isUsed { return }
        report(
            .invalidValue, at: entry.location,
            "Entity '\(entity.name)' asks for a generated class '\(entry.value)', which is "
                + (SQLiteName.isLegal(entry.value) ? "the name of another class of the model" : "no name of a class"),
            notes: ["Write a name of its own, such as '\(entity.name)Properties', from which your class inherits"])
    }

    /// Properties are columns: so are theirs.
    mutating func checkPropertyNames(of entity: Entity) {
        let properties = entity.properties
        checkDifferent(properties.map { ($0.name, $0.location) }, .duplicateProperty) {
            "Property '\(entity.name).\($0)'"
        }
        for property in properties {
            let name = property.name
            checkLegal(name, "Property '\(entity.name).\(name)'", at: property.location) {
                $0.renaming(property, of: entity)
            }
            if ReservedNames.properties.contains(name) {
                report(
                    .reservedName, at: property.location,
                    "Property '\(entity.name).\(name)' has a name that Core Data keeps for itself",
                    notes: ["Apple's compiler refuses the model; Ashlar takes it"],
                    fixes: [renaming(property, of: entity)], attribute: "name")
            }
        }
    }

    mutating func checkIndexNames(of entity: Entity) {
        let indexes = entity.indexes
        checkDifferent(indexes.map { ($0.name, $0.location) }, .duplicateIndex) {
            "Index '\($0)' of '\(entity.name)'"
        } isSame: {
            indexes[$0].name == indexes[$1].name && indexes[$0].isSame(as: indexes[$1])
        }
        for index in indexes {
            checkLegal(index.name, "Index '\(index.name)' of '\(entity.name)'", at: index.location) {
                $0.renaming(index)
            }
        }
    }

    /// A property must not be declared again below, nor with a name that differs only in case.
    mutating func checkRedeclarations(of entity: Entity, in inherited: PropertyScope) {
        for property in entity.properties {
            guard let declaration = inherited.propertyIgnoringCase(named: property.name) else { continue }
            let owner = model.entities[declaration.entity].name
            let name = declaration.property.name
            let title = "Property '\(entity.name).\(property.name)'"
            report(
                .duplicateProperty, at: property.location,
                name == property.name
                    ? "\(title) is already inherited from '\(owner)'"
                    : "\(title) differs only in case from '\(name)', which is inherited from '\(owner)'",
                notes: ["Remove it here, or rename it; the other is at \(declaration.property.location)"],
                fixes: [.removing(property.location, "Remove it here")], attribute: "name")
        }
    }

    mutating func checkDifferent(
        _ names: [(name: String, location: SourceLocation)], _ code: Diagnostic.Code, title: (String) -> String,
        isSame: (Int, Int) -> Bool = { _, _ in false }
    ) {
        var seen: [String: Int] = [:]
        for (index, (name, location)) in names.enumerated() {
            guard let position = seen.updateValue(index, forKey: SQLiteName.folded(name)) else { continue }
            let first = names[position]
            if first.name == name {
                report(
                    code, at: location, "\(title(name)) is declared twice",
                    notes: ["Rename or remove one of them; the other is at \(first.location)"],
                    fixes: [.removing(location, isSafe: isSame(position, index), "Remove the second")],
                    attribute: "name")
            } else {
                report(
                    code, at: location, "\(title(name)) differs only in case from '\(first.name)'",
                    notes: ["SQLite takes them for one name; rename one of them; the other is at \(first.location)"],
                    attribute: "name")
            }
        }
    }

    mutating func checkLegal(
        _ name: String, _ title: @autoclosure () -> String, at location: SourceLocation,
        renaming: (inout ModelChecker) -> Diagnostic.Fix? = { _ in nil }
    ) {
        if !SQLiteName.isLegal(name) || name == "_" {
            report(
                .illegalName, at: location, "\(title()) has a name that is not legal",
                notes: ["A name has letters, digits and '_', does not begin with a digit, and is not '_' alone"],
                fixes: [renaming(&self)], attribute: "name")
        } else if name.hasPrefix("_"), SQLiteName.folded(name).hasPrefix("_ashlar") {
            report(
                .reservedName, .error, at: location,
                "\(title()) has a name that begins with '_ashlar', which is kept for columns that Ashlar adds",
                notes: ["Rename it"], fixes: [renaming(&self)], attribute: "name")
        }
    }
}

extension FetchIndex {
    /// Returns whether the index equals another, except for names and places.
    func isSame(as other: FetchIndex) -> Bool {
        func key(_ element: Element) -> [String?] {
            [
                element.propertyName, element.expression, element.expressionType,
                element.isAscending ? nil : "descending",
            ]
        }
        return kind == other.kind && partialIndexPredicate == other.partialIndexPredicate
            && fullText == other.fullText && elements.map(key) == other.elements.map(key)
    }
}
