extension ModelChecker {
    /// Entities are tables: their names must be legal, and differ in more than case.
    mutating func checkEntityNames() {
        checkDifferent(model.entities.map { ($0.name, $0.location) }, .duplicateEntity) { "Entity '\($0)'" }
        for entity in model.entities {
            let title = "Entity '\(entity.name)'"
            checkLegal(entity.name, title, at: entity.location)
            if SQLiteName.folded(entity.name).hasPrefix("sqlite_") {
                report(
                    .reservedName, .error, at: entity.location,
                    "\(title) has a name that begins with 'sqlite_', which SQLite keeps for itself",
                    notes: ["Rename it, and give it the old name as its renaming identifier"])
            }
        }
    }

    /// Properties are columns: so are theirs.
    mutating func checkPropertyNames(of entity: Entity) {
        let properties = entity.properties
        checkDifferent(properties.map { ($0.name, $0.location) }, .duplicateProperty) {
            "Property '\(entity.name).\($0)'"
        }
        for property in properties {
            checkLegal(property.name, "Property '\(entity.name).\(property.name)'", at: property.location)
        }
    }

    mutating func checkIndexNames(of entity: Entity) {
        checkDifferent(entity.indexes.map { ($0.name, $0.location) }, .duplicateIndex) {
            "Index '\($0)' of '\(entity.name)'"
        }
        for index in entity.indexes {
            checkLegal(index.name, "Index '\(index.name)' of '\(entity.name)'", at: index.location)
        }
    }

    /// A property must not be declared again below; nor may one that differs in case only.
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
                notes: ["Remove it here, or rename it; the other is at \(declaration.property.location)"])
        }
    }

    mutating func checkDifferent(
        _ names: [(name: String, location: SourceLocation)], _ code: Diagnostic.Code, title: (String) -> String
    ) {
        var seen: [String: (name: String, location: SourceLocation)] = [:]
        for (name, location) in names {
            guard let first = seen.updateValue((name, location), forKey: SQLiteName.folded(name)) else { continue }
            if first.name == name {
                report(
                    code, at: location, "\(title(name)) is declared twice",
                    notes: ["Rename or remove one of them; the other is at \(first.location)"])
            } else {
                report(
                    code, at: location, "\(title(name)) differs only in case from '\(first.name)'",
                    notes: ["SQLite takes them for one name; rename one of them; the other is at \(first.location)"])
            }
        }
    }

    mutating func checkLegal(_ name: String, _ title: String, at location: SourceLocation) {
        if !SQLiteName.isLegal(name) {
            report(
                .illegalName, at: location, "\(title) has a name that is not legal",
                notes: ["A name begins with a letter or '_' and goes on with letters, digits and '_'"])
        } else if SQLiteName.folded(name).hasPrefix("_ashlar") {
            report(
                .reservedName, .error, at: location,
                "\(title) has a name that begins with '_ashlar', which is kept for columns that Ashlar adds",
                notes: ["Rename it"])
        }
    }
}
