/// The hashes that identify a version of a model in stores and in the lock file.
///
/// There are two, each per entity and for the whole model, as 64 hexadecimal digits:
///
/// - The **version hash** covers exactly what Core Data's version hash covers. Two versions with one version hash can
///   open each other's stores. Of an entity, it covers the name, whether it is abstract, the superentity's hash, the
///   properties, the uniqueness constraints and the version hash modifier. Of every property, it covers the name,
///   whether it is optional and transient, and the modifier. Of an attribute, it also covers the type, external storage
///   and preservation after deletion. Of a relationship, it also covers the least and greatest count, the order, and
///   the names of the destination and the inverse.
/// - The **schema hash** covers that and everything else that decides the content of the database file: default values,
///   indexes, the order of the columns of constraints, derivation expressions, deletion rules and the entity of the
///   inverse.
///
/// Neither covers user info, class names, renaming identifiers, bounds, transformers, configurations, fetched
/// properties and fetch requests. The order in the document means nothing, but for the order of an index's elements.
///
/// An entity's text is made of lines of a key and a value with its length. `attribute`, `relationship`, `constraint`
/// and `index` are texts of such lines themselves, sorted by their bytes; the documented keys are those in the code. A
/// model's text is one line per entity, sorted, with the entity's name and hash. The hash is SHA-256. Two models have
/// the same text only if they agree in everything that the hash covers, whatever names they use.
public struct VersionHash: Sendable, Hashable {
    /// The version hash of every entity, by its name.
    public let versionHashes: [String: String]
    /// The schema hash of every entity, by its name.
    public let schemaHashes: [String: String]
    /// The version hash of the whole model.
    public let versionHash: String
    /// The schema hash of the whole model.
    public let schemaHash: String
    /// The lines of the model's text, from which those of the next version differ little.
    private let versionLines: ModelLines
    private let schemaLines: ModelLines

    /// Hashes a version of a model.
    public init(_ model: Model) {
        self.init(model, after: nil)
    }

    /// Hashes a version of a model, taking the hashes of entities that did not change from those of the version before.
    package init(_ model: Model, after previous: (hash: VersionHash, difference: ModelDifference)?) {
        let tree = EntityTree(model.entities)
        func hashes(
            _ form: CanonicalForm, _ known: [String: String]?, _ lines: ModelLines?
        ) -> ([String: String], String, ModelLines) {
            var pending = known ?? [:]
            for name in previous?.difference.changedNames ?? [] { pending[name] = nil }
            return Self.hashes(of: model, tree, form, unchanged: pending, lines ?? ModelLines())
        }
        (versionHashes, versionHash, versionLines) = hashes(
            CanonicalForm(of: model, isSchema: false), previous?.hash.versionHashes, previous?.hash.versionLines)
        (schemaHashes, schemaHash, schemaLines) = hashes(
            CanonicalForm(of: model, isSchema: true), previous?.hash.schemaHashes, previous?.hash.schemaLines)
    }

    private static func hashes(
        of model: Model, _ tree: EntityTree, _ form: CanonicalForm, unchanged: [String: String], _ lines: ModelLines
    ) -> ([String: String], String, ModelLines) {
        var hashes = [String](repeating: "", count: model.entities.count)
        var isUnchanged = [Bool](repeating: false, count: model.entities.count)
        var computed: [Int] = []
        // Parents are entered before their children.
        for case .enter(let index) in tree.steps {
            let parent = tree.parents[index]
            if let hash = unchanged[model.entities[index].name], parent.map({ isUnchanged[$0] }) ?? true {
                hashes[index] = hash
                isUnchanged[index] = true
            } else {
                let entity = model.entities[index]
                hashes[index] = form.text(of: entity, parentHash: parent.map { hashes[$0] }).hash
                computed.append(index)
            }
        }
        // If two entities have the same name, it means the first.
        var byName = unchanged
        for index in computed.sorted(by: >) { byName[model.entities[index].name] = hashes[index] }
        let news = computed.map { (name: model.entities[$0].name, hash: hashes[$0]) }
        let lines = lines.changed(to: news, keeping: unchanged)
        var text = CanonicalText()
        text.add("format", form.name + " model 1")
        lines.write(to: &text)
        return (byName, text.hash, lines)
    }
}

/// The lines of a model's text in their order: each an entity's name and hash.
private struct ModelLines: Sendable, Hashable {
    private struct Line: Sendable, Hashable {
        var name: String
        var text = CanonicalText()

        init(name: String, hash: String) {
            self.name = name
            text.add("name", name)
            text.add("hash", hash)
        }
    }

    private var lines: [Line] = []

    /// The lines of the next version: unchanged ones for some entities, and new ones for others. They are in order
    /// already, so that there is little to sort.
    func changed(to hashes: [(name: String, hash: String)], keeping unchanged: [String: String]) -> ModelLines {
        if hashes.isEmpty && unchanged.count == lines.count { return self }
        let names = Set(hashes.map(\.name))
        var result = ModelLines()
        for line in lines where unchanged[line.name] != nil && !names.contains(line.name) { result.lines.append(line) }
        for (name, hash) in hashes { result.lines.append(Line(name: name, hash: hash)) }
        result.lines.sort { CanonicalText.precedes($0.text, $1.text) }
        return result
    }

    /// Adds the lines to a text.
    func write(to text: inout CanonicalText) {
        for line in lines { text.add("entity", line.text) }
    }
}

extension Model {
    /// The hash that covers the same as Core Data's version hash; see ``VersionHash``.
    ///
    /// To get several of the hashes, create a ``VersionHash`` once.
    public var versionHash: String { VersionHash(self).versionHash }

    /// The hash of everything that decides the content of the database file; see ``VersionHash``.
    public var schemaHash: String { VersionHash(self).schemaHash }

    /// The version hash of every entity, by its name.
    public var entityVersionHashes: [String: String] { VersionHash(self).versionHashes }

    /// The schema hash of every entity, by its name.
    public var entitySchemaHashes: [String: String] { VersionHash(self).schemaHashes }
}
