public import DataModel

/// The text of a version of a model, which edits change.
///
/// ```swift
/// var version = try VersionText(contents: bytes, file: path, previous: bundle.versions.first)
/// try version.apply(.rename(.property("title", of: "Post"), to: "headline"))
/// ```
public struct VersionText: Sendable {
    /// The path of the file, for places and messages.
    public let file: String
    public private(set) var bytes: [UInt8]
    public private(set) var model: Model
    private let previous: Model?

    /// Reads a version's `contents`.
    ///
    /// - Parameters:
    ///   - bytes: The text, which need not be saved.
    ///   - file: The path of the file.
    ///   - previous: The version before, from which stores are migrated. Renamed items that it has get a renaming
    ///     identifier.
    /// - Throws: ``ModelEditError/unreadable(file:reason:)`` if the text is not a model.
    public init(contents bytes: [UInt8], file: String, previous: Model? = nil) throws(ModelEditError) {
        self.file = file
        self.bytes = bytes
        self.previous = previous
        model = try Self.read(bytes, file).model
    }

    /// Reads the current version of the model at a path.
    ///
    /// - Parameter reader: Determines the order of the versions and the current one if the bundle does not.
    /// - Throws: ``ModelEditingError/noCurrentVersion(_:)`` if there is none, and
    ///   ``ModelEditError/unreadable(file:reason:)`` if it is not a model.
    public static func current(ofModelAtPath path: String, reader: ModelReader = ModelReader()) throws -> VersionText {
        let path = ModelFiles.normalized(path)
        guard let bundle = reader.read(atPath: path).model,
            let position = bundle.versions.firstIndex(where: { $0.name == bundle.currentVersionName })
        else { throw ModelEditingError.noCurrentVersion(path) }
        let file = bundle.versions[position].location.file
        var diagnostics = Diagnostics()
        guard let bytes = ModelFiles.bytes(ofFile: file, reportingTo: &diagnostics) else {
            throw ModelEditError.unreadable(file: file, reason: diagnostics.all.first?.message ?? "it cannot be read")
        }
        var version = try VersionText(
            contents: bytes, file: file, previous: position > 0 ? bundle.versions[position - 1] : nil)
        version.model.name = bundle.currentVersionName
        return version
    }

    /// The edits of the text that make an edit of the model. They are empty if the model is already so.
    ///
    /// - Throws: ``ModelEditError`` if the edit is refused. An edit is refused if the model would have an error that it
    ///   does not have.
    public func textEdits(for edit: ModelEdit) throws(ModelEditError) -> [TextEdit] {
        var changes = try ModelEditor(model, previous: previous).changes(for: edit)
        try checkVocabulary(of: edit)
        changes += layoutChanges(for: edit)
        if changes.isEmpty { return [] }
        var resolver = FindingResolver(bytes, file: file)
        guard let edits = resolver.edits(of: Diagnostic.Fix("", changes)) else {
            if changes.allSatisfy({ if case .removeAttribute = $0.action { true } else { false } }) { return [] }
            throw .notExact(file: file)
        }
        try check(edits.applied(to: bytes))
        return edits
    }

    /// Makes an edit, and returns the edits of the text.
    ///
    /// - Throws: ``ModelEditError`` if the edit is refused; nothing was changed.
    @discardableResult
    public mutating func apply(_ edit: ModelEdit) throws(ModelEditError) -> [TextEdit] {
        let edits = try textEdits(for: edit)
        let bytes = edits.applied(to: bytes)
        let name = model.name
        model = try Self.read(bytes, file).model
        model.name = name
        self.bytes = bytes
        return edits
    }

    private static func read(
        _ bytes: [UInt8], _ file: String
    ) throws(ModelEditError) -> (model: Model, diagnostics: Diagnostics) {
        let (model, diagnostics) = ModelReader.read(contents: bytes, named: "", file: file)
        guard let model else {
            let finding = diagnostics.sorted.first { $0.severity == .error }
            let line = finding.map { $0.location.line > 0 ? "line \($0.location.line): \($0.message)" : $0.message }
            throw .unreadable(file: file, reason: line ?? "it is not a data model")
        }
        return (model, diagnostics)
    }

    /// Refuses a text with more errors of a kind than this one has.
    private func check(_ changed: [UInt8]) throws(ModelEditError) {
        let after = try Self.errors(changed, file)
        if after.isEmpty { return }
        let before = try Self.errors(bytes, file)
        let messages = Set(before.map(\.message))
        for (code, errors) in Dictionary(grouping: after, by: \.code)
        where errors.count > before.count(where: { $0.code == code }) {
            throw .invalid((errors.first { !messages.contains($0.message) } ?? errors[0]).message)
        }
    }

    private static func errors(_ bytes: [UInt8], _ file: String) throws(ModelEditError) -> [Diagnostic] {
        var (model, diagnostics) = try read(bytes, file)
        diagnostics.report(contentsOf: ModelChecker.check(model))
        return diagnostics.sorted.filter { $0.severity == .error }
    }

    // MARK: What the model does not hold

    /// The changes of the diagram, which names entities too.
    private func layoutChanges(for edit: ModelEdit) -> [Diagnostic.Change] {
        let action: Diagnostic.Change.Action
        let entity: String
        switch edit {
        case .rename(.entity(let old), let name): (entity, action) = (old, .setAttribute("name", to: name))
        case .remove(.entity(let name)): (entity, action) = (name, .remove)
        default: return []
        }
        guard let document = SourceDocument(bytes) else { return [] }
        return document.elements.compactMap { element in
            guard document.name(of: element) == "element", let parent = element.parent,
                document.name(of: document.elements[parent]) == "elements",
                document.attribute("name", of: element).map(document.value) == entity
            else { return nil }
            let (line, column) = document.position(of: element.startTag.lowerBound)
            return Diagnostic.Change(SourceLocation(file: file, line: line, column: column), action)
        }
    }

    /// Refuses attributes that the format does not have.
    private func checkVocabulary(of edit: ModelEdit) throws(ModelEditError) {
        switch edit {
        case .addEntity(_, let values): try check(values.map(\.name), of: "entity")
        case .addAttribute(_, _, _, let values): try check(values.map(\.name), of: "attribute")
        case .change(let item, let attribute, _):
            let location = try ModelEditor(model).location(of: item)
            guard let document = SourceDocument(bytes),
                let offset = document.offset(line: location.line, column: location.column),
                let index = document.element(at: offset)
            else { throw .notExact(file: file) }
            try check([attribute], of: document.name(of: document.elements[index]))
        default: break
        }
    }

    private func check(_ names: [String], of element: String) throws(ModelEditError) {
        guard let known = ElementVocabulary.all[element] else { return }
        for name in names where !known.attributes.contains(name) {
            let similar = known.misspelledAttributes[name] ?? Spelling.closest(to: name, among: known.attributes)
            throw .unknownAttribute(name, of: element, similar: similar)
        }
    }
}
