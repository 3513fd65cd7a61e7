public import DataModel

/// The text of a version of a model, which edits change.
///
/// ```swift
/// var version = try VersionText(contents: bytes, file: path, previous: bundle.versions.first)
/// try version.apply(.rename(.property("title", of: "Post"), to: "headline"))
/// ```
///
/// If other bundles are merged with the version's, an edit changes their files too. ``files`` has the texts of all of them.
public struct VersionText: Sendable {
    /// A file that declares a part of the version.
    public struct File: Sendable {
        /// The path, for places and messages.
        public let path: String
        /// The text, which need not be saved.
        public internal(set) var bytes: [UInt8]
        /// The name of the bundle that the file belongs to.
        let bundleName: String
        /// The declarations of the file alone.
        public internal(set) var model: Model
        var diagnostics: Diagnostics

        init(_ path: String, _ bytes: [UInt8], of bundleName: String) throws(ModelEditError) {
            (self.path, self.bytes, self.bundleName) = (path, bytes, bundleName)
            let (model, diagnostics) = ModelReader.read(contents: bytes, named: "", file: path)
            self.diagnostics = diagnostics
            guard let model else {
                let finding = diagnostics.sorted.first { $0.severity == .error }
                let line = finding.map { $0.location.line > 0 ? "line \($0.location.line): \($0.message)" : $0.message }
                throw .unreadable(file: path, reason: line ?? "it is not a data model")
            }
            self.model = model
        }
    }

    /// The version's own file, and those of the bundles that are merged with it.
    public private(set) var files: [File]
    /// The version, merged from all files.
    public internal(set) var model: Model
    private let previous: Model?

    /// The path of the version's own file.
    public var file: String { files[0].path }
    /// The text of the version's own file.
    public var bytes: [UInt8] { files[0].bytes }

    /// Reads a version's `contents`.
    ///
    /// - Parameters:
    ///   - bytes: The text, which need not be saved.
    ///   - file: The path of the file.
    ///   - previous: The version before, from which stores are migrated. Renamed items that it has get a renaming
    ///     identifier.
    /// - Throws: ``ModelEditError/unreadable(file:reason:)`` if the text is not a model.
    public init(contents bytes: [UInt8], file: String, previous: Model? = nil) throws(ModelEditError) {
        try self.init([File(file, bytes, of: "")], previous: previous)
    }

    init(_ files: [File], previous: Model?) throws(ModelEditError) {
        self.files = files
        self.previous = previous
        model = Self.merged(files).model
    }

    /// The edits of the texts that make an edit of the model. They are empty if the model is already so.
    ///
    /// - Throws: ``ModelEditError`` if the edit is refused. An edit is refused if the model would have an error that it
    ///   does not have.
    public func textEdits(for edit: ModelEdit) throws(ModelEditError) -> [TextEdit] {
        let edits = try uncheckedEdits(for: edit)
        if !edits.isEmpty { try check(edited(by: edits)) }
        return edits
    }

    private func uncheckedEdits(for edit: ModelEdit) throws(ModelEditError) -> [TextEdit] {
        var changes = try editor.changes(for: edit)
        try checkVocabulary(of: edit)
        changes += layoutChanges(for: edit)
        var result: [TextEdit] = []
        for file in files {
            let own = changes.filter { $0.element.file == file.path }
            if own.isEmpty { continue }
            var resolver = FindingResolver(file.bytes, file: file.path)
            guard let edits = resolver.edits(of: Diagnostic.Fix("", own)) else {
                if own.allSatisfy({ if case .removeAttribute = $0.action { true } else { false } }) { continue }
                throw .notExact(file: file.path)
            }
            result += edits
        }
        return result
    }

    /// Makes an edit, and returns the edits of the texts.
    ///
    /// - Throws: ``ModelEditError`` if the edit is refused; nothing was changed.
    @discardableResult
    public mutating func apply(_ edit: ModelEdit) throws(ModelEditError) -> [TextEdit] {
        let edits = try textEdits(for: edit)
        try make(edits)
        return edits
    }

    /// Makes several edits as one, in their order. Errors between them do not count.
    ///
    /// - Throws: ``ModelEditError`` if an edit is refused, or the last texts would have an error that these do not have;
    ///   nothing was changed.
    public mutating func apply(_ edits: [ModelEdit]) throws(ModelEditError) {
        var changed = self
        for edit in edits { try changed.make(changed.uncheckedEdits(for: edit)) }
        if changed.files.map(\.bytes) != files.map(\.bytes) { try check(changed.files) }
        self = changed
    }

    private mutating func make(_ edits: [TextEdit]) throws(ModelEditError) {
        files = try edited(by: edits)
        let name = model.name
        model = Self.merged(files).model
        model.name = name
    }

    private var editor: ModelEditor { ModelEditor(model, previous: previous, files: files.map(\.model)) }

    /// The files with edits made.
    private func edited(by edits: [TextEdit]) throws(ModelEditError) -> [File] {
        var result: [File] = []
        for file in files {
            let own = edits.filter { $0.file == file.path }
            result.append(
                own.isEmpty ? file : try File(file.path, own.applied(to: file.bytes), of: file.bundleName))
        }
        return result
    }

    private static func merged(_ files: [File]) -> (model: Model, diagnostics: Diagnostics) {
        var model = files[0].model
        var diagnostics = Diagnostics()
        for file in files { diagnostics.report(contentsOf: file.diagnostics) }
        for file in files.dropFirst() { model.merge(file.model, of: file.bundleName, reportingTo: &diagnostics) }
        return (model, diagnostics)
    }

    /// Refuses texts with more errors of a kind than these have.
    private func check(_ changed: [File]) throws(ModelEditError) {
        let after = Self.errors(changed)
        if after.isEmpty { return }
        let before = Self.errors(files)
        let messages = Set(before.map(\.message))
        for (code, errors) in Dictionary(grouping: after, by: \.code)
        where errors.count > before.count(where: { $0.code == code }) {
            throw .invalid((errors.first { !messages.contains($0.message) } ?? errors[0]).message)
        }
    }

    private static func errors(_ files: [File]) -> [Diagnostic] {
        var (model, diagnostics) = merged(files)
        diagnostics.report(contentsOf: ModelChecker.check(model))
        return diagnostics.sorted.filter { $0.severity == .error }
    }

    // MARK: Layout and vocabulary

    /// The changes of the diagrams, which name entities too.
    private func layoutChanges(for edit: ModelEdit) -> [Diagnostic.Change] {
        let action: Diagnostic.Change.Action
        let entity: String
        switch edit {
        case .rename(.entity(let old), let name): (entity, action) = (old, .setAttribute("name", to: name))
        case .remove(.entity(let name)): (entity, action) = (name, .remove)
        default: return []
        }
        return files.flatMap { file -> [Diagnostic.Change] in
            guard let document = SourceDocument(file.bytes) else { return [] }
            return document.elements.compactMap { element in
                guard document.name(of: element) == "element", let parent = element.parent,
                    document.name(of: document.elements[parent]) == "elements",
                    document.attribute("name", of: element).map(document.value) == entity
                else { return nil }
                let (line, column) = document.position(of: element.startTag.lowerBound)
                return Diagnostic.Change(SourceLocation(file: file.path, line: line, column: column), action)
            }
        }
    }

    /// Refuses attributes that the format does not have.
    private func checkVocabulary(of edit: ModelEdit) throws(ModelEditError) {
        switch edit {
        case .addEntity(_, let values): try check(values.map(\.name), of: "entity")
        case .addAttribute(_, _, _, let values): try check(values.map(\.name), of: "attribute")
        case .change(let item, let changes):
            let element = try elementName(of: item)
            let names = changes.map(\.attribute)
            let ofRequest = element == "fetchedProperty" ? names.filter(ModelEditor.requestAttributes.contains) : []
            try check(names.filter { !ofRequest.contains($0) }, of: element)
        case .setElements(_, let index, let entity):
            let item = ModelItem.index(index, of: entity)
            if try elementName(of: item) != "fetchIndex" {
                throw .notPossible("Xcode 8 wrote \(item). Remove it, and add another one.")
            }
        default: break
        }
    }

    private func elementName(of item: ModelItem) throws(ModelEditError) -> String {
        let location = try editor.location(of: item)
        guard let file = files.first(where: { $0.path == location.file }), let document = SourceDocument(file.bytes),
            let offset = document.offset(line: location.line, column: location.column),
            let index = document.element(at: offset)
        else { throw .notExact(file: location.file) }
        return document.name(of: document.elements[index])
    }

    private func check(_ names: [String], of element: String) throws(ModelEditError) {
        guard let known = ElementVocabulary.all[element] else { return }
        for name in names where !known.attributes.contains(name) {
            let similar = known.misspelledAttributes[name] ?? Spelling.closest(to: name, among: known.attributes)
            throw .unknownAttribute(name, of: element, similar: similar)
        }
    }
}
