/// Writes the canonical texts of entities and their parts.
struct CanonicalForm {
    /// Whether the text covers the whole schema. If not, it covers the same as Core Data's version hash.
    let isSchema: Bool
    private var compositeHashes: [String: String] = [:]

    init(of model: Model, isSchema: Bool) {
        self.isSchema = isSchema
        let composites = Dictionary(model.composites.map { ($0.name, $0) }) { first, _ in first }
        // While these are computed, composites within them are represented by their names alone.
        var hashes: [String: String] = [:]
        for name in composites.keys { hashes[name] = hash(ofComposite: name, among: composites) }
        compositeHashes = hashes
    }

    var name: String { isSchema ? "ashlar schema" : "ashlar version" }

    func text(of entity: Entity, parentHash: String?) -> CanonicalText {
        var text = CanonicalText()
        text.add("format", name + " entity 1")
        text.add("name", entity.name)
        text.add("abstract", entity.isAbstract)
        text.add("modifier", entity.versionHashModifier)
        text.add("parent", parentHash)
        text.addSorted("attribute", entity.attributes.map(self.text(of:)))
        text.addSorted("relationship", entity.relationships.map(self.text(of:)))
        text.addSorted("constraint", entity.uniquenessConstraints.map(self.text(of:)))
        if isSchema { text.addSorted("index", entity.indexes.map(self.text(of:))) }
        return text
    }

    private func text(of attribute: Attribute) -> CanonicalText {
        var text = CanonicalText()
        text.add("name", attribute.name)
        text.add("type", attribute.type.rawValue)
        text.add("optional", attribute.isOptional)
        text.add("transient", attribute.isTransient)
        text.add("external", attribute.allowsExternalBinaryDataStorage)
        text.add("preserved", attribute.preservesValueAfterDeletion)
        text.add("modifier", attribute.versionHashModifier)
        if attribute.type == .composite, let name = attribute.compositeName {
            text.add("composite", name)
            text.add("composites", compositeHashes[name])
        }
        if isSchema {
            text.add("default", defaultText(of: attribute))
            text.add("indexed", attribute.isIndexed)
            text.add("derivation", attribute.derivationExpression)
        }
        return text
    }

    /// The hash of a composite and of all those within it. Each enters once, so that neither a cycle nor a composite
    /// that is contained many times makes the text long.
    private func hash(ofComposite start: String, among composites: [String: Composite]) -> String {
        var found: Set<String> = [start]
        var pending = [start]
        var texts: [CanonicalText] = []
        while let name = pending.popLast(), let composite = composites[name] {
            var text = CanonicalText()
            text.add("name", name)
            text.addSorted("attribute", composite.attributes.map(self.text(of:)))
            texts.append(text)
            let inner = composite.attributes.filter { $0.type == .composite }.compactMap(\.compositeName)
            for name in inner where composites[name] != nil && found.insert(name).inserted { pending.append(name) }
        }
        var text = CanonicalText()
        text.addSorted("composite", texts)
        return text.hash
    }

    private func text(of relationship: Relationship) -> CanonicalText {
        var text = CanonicalText()
        text.add("name", relationship.name)
        text.add("optional", relationship.isOptional)
        text.add("transient", relationship.isTransient)
        text.add("many", relationship.isToMany)
        text.add("ordered", relationship.isOrdered)
        // For a to-one relationship, the counts add nothing, and only some versions of Xcode write them.
        if relationship.isToMany {
            text.add("minimum", String(relationship.minimumCount))
            text.add("maximum", String(relationship.maximumCount))
        }
        text.add("destination", relationship.destinationName)
        text.add("inverse", relationship.inverseName)
        text.add("modifier", relationship.versionHashModifier)
        if isSchema {
            text.add("deletion", relationship.deletionRule.rawValue)
            if relationship.inverseName != nil {
                text.add("inverseEntity", relationship.inverseEntityName ?? relationship.destinationName)
            }
        }
        return text
    }

    private func text(of constraint: UniquenessConstraint) -> CanonicalText {
        var text = CanonicalText()
        // The meaning of a constraint does not depend on the order of the columns, but the index behind it does.
        let names = isSchema ? constraint.propertyNames : constraint.propertyNames.sorted()
        for name in names { text.add("property", name) }
        return text
    }

    private func text(of index: FetchIndex) -> CanonicalText {
        var text = CanonicalText()
        text.add("name", index.name)
        text.add("kind", index.kind.rawValue)
        text.add("predicate", index.partialIndexPredicate)
        for element in index.elements {
            var line = CanonicalText()
            line.add("property", element.propertyName)
            line.add("expression", element.expression)
            line.add("expressionType", element.expressionType)
            line.add("descending", !element.isAscending)
            text.add("element", line)
        }
        if index.kind == .fullText {
            text.add("tokenizer", index.fullText.tokenizer.rawValue)
            for length in index.fullText.prefixLengths { text.add("prefix", String(length)) }
        }
        return text
    }

    /// The default as it is stored, so that `0`, `0.0` and `NO` are the same; a text that is not a valid value is used
    /// unchanged.
    private func defaultText(of attribute: Attribute) -> String? {
        do throws(Attribute.InvalidDefault) {
            switch try attribute.defaultValue() {
            case .integer(let number): return String(number)
            case .real(let number), .date(let number): return String(number)
            case .boolean(let flag): return flag ? "1" : "0"
            case .string(let text), .uri(let text), .decimal(let text): return text
            case .uuid(let uuid): return uuid.uuidString
            case .binary, nil: return nil
            }
        } catch {
            return error.text
        }
    }
}
