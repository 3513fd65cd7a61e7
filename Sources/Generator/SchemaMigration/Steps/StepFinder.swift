import DataModel
import RelationalSchema

/// Finds the changes between two versions, and those for which no migration can be inferred.
final class StepFinder {
    let match: ModelMatch
    private(set) var steps: [MigrationStep] = []
    private(set) var diagnostics = Diagnostics()
    /// The old properties that a new entity takes over.
    let used: Set<PropertyName>
    /// The composites whose changes were reported, because each of their parts leads to them.
    var toldKinds: Set<PropertyName> = []

    init(_ match: ModelMatch) {
        self.match = match
        used = Set(match.oldProperties.values.joined().map(\.value.key))
            .union(match.oldComposites.values.joined().map(\.value.key))
        findEntitySteps()
        for name in match.new.names { findPropertySteps(of: name) }
        findRemovedProperties()
        findIndexSteps()
    }

    func report(_ diagnostic: Diagnostic) {
        diagnostics.report(diagnostic)
    }

    private func findEntitySteps() {
        for name in match.new.names {
            guard let oldName = match.oldEntityNames[name] else {
                steps.append(.addEntity(name))
                continue
            }
            if oldName != name { steps.append(.renameEntity(from: oldName, to: name)) }
            let oldParent = match.old.nodes[oldName]?.parentName
            let newParent = match.new.nodes[name]?.parentName
            if oldParent.map({ match.newEntityNames[$0] }) != newParent.map({ Optional($0) }) {
                steps.append(.changeParent(entityName: name, from: oldParent, to: newParent))
            }
            if let isAbstract = match.new.nodes[name]?.entity.isAbstract,
                match.old.nodes[oldName]?.entity.isAbstract == !isAbstract
            {
                steps.append(.changeAbstractness(entityName: name, isAbstract: isAbstract))
            }
        }
        for name in match.old.names where match.newEntityNames[name] == nil { steps.append(.removeEntity(name)) }
        for binding in match.bindings(toDeleted: match.removedEntityNames) where binding.isCascading {
            tell(.removeDependents(binding.key))
        }
    }

    private func findPropertySteps(of entityName: String) {
        guard let node = match.new.nodes[entityName] else { return }
        for property in node.properties where property.key.entityName == entityName {
            findLinkConflicts(of: property.key)
            if let leaf = property.leaf {
                // The properties of a new entity come with it.
                if match.oldEntityNames[entityName] != nil || !match.sources(of: property.key).isEmpty {
                    findSteps(ofLeaf: leaf, property)
                }
                continue
            }
            if match.changedKinds[property.key] != nil {
                findChangedKind(of: property.key)
                continue
            }
            let sources = match.sources(of: property.key)
            guard let old = sources.first?.old else {
                // The properties of a new entity come with it.
                if match.oldEntityNames[entityName] == nil { continue }
                switch property.content {
                case .attribute: steps.append(.addAttribute(property.key))
                case .relationship: steps.append(.addRelationship(property.key))
                }
                continue
            }
            switch (old.content, property.content) {
            case (.attribute(let before), .attribute(let after)):
                for source in sources { findMoves(from: source.old.key, to: property.key, isAttribute: true) }
                compare(before, after, property.key)
            case (.relationship(let before), .relationship(let after)):
                for source in sources { findMoves(from: source.old.key, to: property.key, isAttribute: false) }
                compare(before, old.key, after, property.key)
            case (.relationship, .attribute(let after)):
                reportKind(property.key, "a relationship", "an attribute", at: after.location)
            case (.attribute, .relationship(let after)):
                reportKind(property.key, "an attribute", "a relationship", at: after.location)
            }
        }
    }

    private func findMoves(from old: PropertyName, to new: PropertyName, isAttribute: Bool) {
        if match.newEntityNames[old.entityName] != new.entityName {
            steps.append(
                isAttribute ? .moveAttribute(from: old, to: new) : .moveRelationship(from: old, to: new))
        } else if old.name != new.name {
            steps.append(isAttribute ? .renameAttribute(from: old, to: new) : .renameRelationship(from: old, to: new))
        }
    }

    /// Adds a change, once if several leaves of a composite share it.
    func tell(_ step: MigrationStep) {
        if !steps.contains(step) { steps.append(step) }
    }

    func compare(_ old: Attribute, _ new: Attribute, _ key: PropertyName) {
        if old.type != new.type {
            steps.append(.changeType(key, from: old.type, to: new.type))
            // A derived value is recomputed, so none is lost.
            if !old.isDerived, !new.isDerived, AttributeConversion(from: old, to: new) == nil {
                report(lossOf: old, new, key)
            }
        }
        if old.isOptional != new.isOptional {
            steps.append(.changeOptionality(key, isOptional: new.isOptional))
        }
        if old.derivationExpression != new.derivationExpression {
            steps.append(.changeDerivation(key, from: old.derivationExpression, to: new.derivationExpression))
        }
        let oldDefault = try? old.defaultValue()
        let newDefault = try? new.defaultValue()
        if oldDefault != newDefault {
            steps.append(
                .changeDefault(
                    key, from: oldDefault.map { SQLText.literal($0) }, to: newDefault.map { SQLText.literal($0) }))
        }
    }

    func report(lossOf old: Attribute, _ new: Attribute, _ key: PropertyName) {
        diagnostics.report(
            .migrationNotInferrable, at: new.location,
            "Attribute '\(key)' changes its type from \(old.type.rawValue) to \(new.type.rawValue), "
                + "which could lose values",
            notes: [
                "Keep the type, and add an attribute of the other type under another name",
                "To give the values up, remove the attribute in one version and add it again in the next",
            ],
            fixes: [
                .setting(
                    "attributeType", to: old.type.rawValue, of: new.location, "Keep the type \(old.type.rawValue)"),
                AttributeConversion(from: old.type, to: new.type, isChecked: true).map { _ in
                    losslessCheck(of: new.location)
                },
            ].compactMap(\.self))
    }

    func losslessCheck(of location: SourceLocation) -> Diagnostic.Fix {
        .settingEntry(
            UserInfo.migrationCheckKey, to: UserInfo.losslessCheck, of: location,
            "Have the migration look that nothing is lost, and refuse a store where something would be")
    }

    private func compare(
        _ old: Relationship, _ oldKey: PropertyName, _ new: Relationship, _ key: PropertyName
    ) {
        compareDestinations(old, new, key)
        if old.isToMany != new.isToMany {
            steps.append(.changeCardinality(key, isToMany: new.isToMany))
            if old.isToMany && !new.userInfo.asksForLosslessCheck {
                diagnostics.report(
                    .migrationNotInferrable, at: new.location,
                    "Relationship '\(key)' led to many objects and now leads to one, so links would have to go",
                    notes: [
                        "Keep it, and add a relationship to one object under another name",
                        "To give the links up, remove the relationship in one version and add it again in the next",
                    ],
                    fixes: [
                        .setting("toMany", to: "YES", of: new.location, "Let it lead to many objects"),
                        losslessCheck(of: new.location),
                    ])
            }
        }
        if old.isOrdered != new.isOrdered && new.isToMany {
            steps.append(.changeOrdering(key, isOrdered: new.isOrdered))
        }
        if old.isOptional != new.isOptional {
            steps.append(.changeOptionality(key, isOptional: new.isOptional))
        }
        if old.deletionRule != new.deletionRule {
            steps.append(.changeDeletionRule(key, from: old.deletionRule, to: new.deletionRule))
        }
        let oldInverse = match.old.inverse(of: oldKey)
        let newInverse = match.new.inverse(of: key)
        let isSame = newInverse.map { inverse in
            match.sources(of: inverse).contains { $0.old.key == oldInverse }
        }
        if isSame ?? (oldInverse == nil) { return }
        steps.append(.changeInverse(key, from: oldInverse, to: newInverse))
    }

    /// The objects that a relationship led to must be among those that it leads to now.
    private func compareDestinations(_ old: Relationship, _ new: Relationship, _ key: PropertyName) {
        let kept = match.newEntityNames[old.destinationName]
        if kept != new.destinationName {
            steps.append(.changeDestination(key, from: old.destinationName, to: new.destinationName))
        }
        let strangers = (match.old.nodes[old.destinationName]?.hierarchy ?? []).compactMap { name in
            // The links are lost anyway with the objects that they led to.
            match.old.nodes[name]?.entity.isAbstract == true ? nil : match.newEntityNames[name]
        }.filter { !match.new.isEntity($0, kindOf: new.destinationName) }
        guard let stranger = kept.map({ strangers.contains($0) ? $0 : strangers.first }) ?? strangers.first else {
            return
        }
        if kept == new.destinationName {
            diagnostics.report(
                .migrationNotInferrable, at: new.location,
                "Relationship '\(key)' led to objects of '\(stranger)' too, which is not a kind of "
                    + "'\(new.destinationName)' any more",
                notes: [
                    "Keep '\(stranger)' below '\(new.destinationName)', or lead to a parent of both",
                    "To give the links up, remove the relationship in one version and add it again in the next",
                ])
            return
        }
        diagnostics.report(
            .migrationNotInferrable, at: new.location,
            "Relationship '\(key)' led to '\(old.destinationName)' and now leads to '\(new.destinationName)', "
                + "which those objects are not",
            notes: [
                "Lead to '\(stranger)' or a parent of it, or add a relationship under another name",
                "If '\(new.destinationName)' is '\(old.destinationName)' renamed, give it the old name as its "
                    + "renaming identifier",
            ])
    }

    func reportKind(
        _ key: PropertyName, _ before: String, _ after: String, at location: SourceLocation
    ) {
        let givers = match.givers[key] ?? []
        let changes = Set(givers.map(\.entityName)).sorted().compactMap { name -> Diagnostic.Change? in
            guard let entity = match.new.nodes[name]?.entity else { return nil }
            let names = entity.userInfo.names(UserInfo.removedKey)
            let added = givers.filter { $0.entityName == name && !names.contains($0.name) }.map(\.name)
            return Diagnostic.Change(
                entity.location, .setEntry(UserInfo.removedKey, to: (names + added).joined(separator: ", ")))
        }
        let places =
            changes.isEmpty ? "" : " of " + Set(givers.map { "'\($0.entityName)'" }).sorted().joined(separator: ", ")
        diagnostics.report(
            .migrationNotInferrable, at: location, "'\(key)' was \(before) and is \(after) now",
            notes: [
                "Give the new one another name",
                "To give the old one up, name it under '\(UserInfo.removedKey)'\(places); SQL of your own can carry over "
                    + "what it held",
            ],
            fixes: changes.isEmpty
                ? [] : [Diagnostic.Fix("Say that the old '\(givers[0].name)' is to be deleted", changes)])
    }

    private func findRemovedProperties() {
        for name in match.old.names {
            guard let node = match.old.nodes[name], node.hierarchy.contains(where: { match.newEntityNames[$0] != nil })
            else { continue }
            for property in node.properties {
                if let leaf = property.leaf {
                    if leaf.isEmptyComposite { continue }
                    if let key = removedKey(ofLeaf: leaf, property, from: name) { tell(.removeAttribute(key)) }
                    continue
                }
                if !isLost(property.key, of: name) { continue }
                let key = PropertyName(name, property.name)
                switch property.content {
                case .attribute: steps.append(.removeAttribute(key))
                case .relationship: steps.append(.removeRelationship(key))
                }
            }
        }
    }

    /// Returns whether a property is lost with an old entity's objects, and not already with those of its parent.
    func isLost(_ key: PropertyName, of entityName: String) -> Bool {
        func leavesObjects(of name: String) -> Bool {
            guard let node = match.old.nodes[name], !node.entity.isAbstract, let newName = match.newEntityNames[name]
            else { return false }
            return !match.carries(key, to: newName)
        }
        if !used.contains(key) { return key.entityName == entityName }
        if !leavesObjects(of: entityName) { return false }
        guard key.entityName != entityName, let parentName = match.old.nodes[entityName]?.parentName else {
            return true
        }
        return !leavesObjects(of: parentName)
    }

    /// The indexes that authors declare; those of foreign keys come and go with the relationships.
    private func findIndexSteps() {
        func definitions(_ schema: Schema) -> [String: String] {
            var result: [String: String] = [:]
            for index in schema.indexes where !index.name.hasPrefix("reference$") {
                result[index.name] = index.definition
            }
            for rtree in schema.rtrees {
                result[rtree.name] = rtree.definition + rtree.contents.filling
            }
            for table in schema.fullTextTables {
                result[table.name] = table.definition + table.contents.filling
            }
            return result
        }
        let old = definitions(match.old.schema)
        let new = definitions(match.new.schema)
        for name in old.keys.sorted() where new[name] == nil { steps.append(.removeIndex(name: name)) }
        for (name, definition) in new.sorted(by: { $0.key < $1.key }) {
            if old[name] == nil {
                steps.append(.addIndex(name: name))
            } else if old[name] != definition {
                steps.append(.changeIndex(name: name))
            }
        }
    }
}
