import DataModel
import FileErrors
import Foundation
import GeneratorPipeline
import ModelFormat
import RelationalSchema

/// A language server for data models. It reports the findings of the build for the texts of an editor.
///
/// A model's bundle is its unit. It reads the bundles of open documents only, watches nothing, and writes nothing.
package final class ModelServer {
    /// Finds the slow findings of a model.
    package typealias Advice = (_ plan: ModelPlan?, _ path: String, _ texts: ModelTexts) -> Diagnostics

    /// Prints the statements of the requests of a model, with the places of their elements.
    package typealias Queries = (_ schema: Schema) -> [(location: SourceLocation?, sql: String)]

    let version: String
    private let advice: Advice
    let queries: Queries
    var notify: (_ method: String, _ parameters: JSONValue) -> Void = { _, _ in }
    var client = ClientCapabilities()
    /// The open documents by their paths.
    private(set) var documents: [String: OpenDocument] = [:]
    /// The models of open documents by their paths.
    private(set) var bundles: [String: OpenBundle] = [:]
    /// The texts of versions that are on disk, with their times of modification.
    private var closedVersions: [String: (date: Date, version: EditedVersion)] = [:]
    private var openVersions: [String: EditedVersion] = [:]

    /// Makes a server.
    ///
    /// - Parameters:
    ///   - version: The version of the tool, which the client can show.
    ///   - advice: The findings of `ashlar check` that need more than the model.
    ///   - queries: The statements of requests, which only the runtime prints.
    package init(
        version: String, advice: @escaping Advice = { _, _, _ in Diagnostics() },
        queries: @escaping Queries = { _ in [] }
    ) {
        self.version = version
        self.advice = advice
        self.queries = queries
    }

    /// Serves one client until it ends the connection.
    ///
    /// - Parameters:
    ///   - read: Waits for the next bytes and returns them; none at the end. It is called on another thread.
    ///   - write: Writes the bytes of a message.
    /// - Returns: The status to end with, and the reason where the connection broke.
    package func run(
        reading read: @escaping @Sendable () throws -> [UInt8], writing write: @escaping ([UInt8]) throws -> Void
    ) -> (status: Int32, failure: String?) {
        Connection(self, write: write).run(reading: read)
    }

    // MARK: Documents

    func open(_ uri: String, _ text: String, version: Int?) {
        guard let path = FileURI.path(uri), let place = ModelPath(ofFile: path) else { return }
        documents[path] = OpenDocument(
            uri: uri, path: path, place: place, version: version, text: DocumentText(Array(text.utf8)))
        openVersions[path] = nil
        let bundle = bundles[place.bundle] ?? OpenBundle(path: place.bundle)
        bundles[place.bundle] = bundle
        bundle.forgetConfiguration()
    }

    func change(_ uri: String, _ changes: [JSONValue], version: Int?) {
        guard let path = FileURI.path(uri), var document = documents[path] else { return }
        // A text cannot become older.
        if let version, let known = document.version, version < known { return }
        document.text.apply(changes, client.encoding)
        document.version = version
        documents[path] = document
        openVersions[path] = nil
        setNeedsCheck(document.place.bundle)
    }

    func close(_ uri: String) {
        guard let path = FileURI.path(uri), let document = documents.removeValue(forKey: path) else { return }
        openVersions[path] = nil
        let bundle = document.place.bundle
        if documents.values.contains(where: { $0.place.bundle == bundle }) {
            setNeedsCheck(bundle)
        } else if let closed = bundles.removeValue(forKey: bundle) {
            for file in closed.sent.keys.sorted() { publish([], file) }
            closedVersions = closedVersions.filter { !$0.key.hasPrefix(bundle + "/") }
        }
    }

    /// Makes every bundle read its files again, after some changed on disk.
    func forgetFiles() {
        for bundle in bundles.values { bundle.forgetConfiguration() }
    }

    /// All bundles may be merged into each other.
    private func setNeedsCheck(_ path: String) {
        for bundle in bundles.values
        where bundle.path == path || MergedBundles.paths(ofBundle: bundle.path).contains(path) {
            bundle.needsCheck = true
            bundle.needsAdvice = true
        }
    }

    /// The texts that the pipeline reads. A version is made well-formed, if it can be.
    var texts: ModelTexts {
        ModelTexts(open: documents.mapValues { versionText($0.path)?.repaired?.bytes ?? $0.text.bytes })
    }

    /// The text of a version, of an open document or of a file.
    func versionText(_ path: String) -> EditedVersion? {
        guard case .version(let name)? = ModelPath(ofFile: path)?.kind else { return nil }
        if let document = documents[path] {
            if let known = openVersions[path] { return known }
            let version = EditedVersion(path: path, name: name, text: document.text)
            openVersions[path] = version
            return version
        }
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard let date = attributes?[.modificationDate] as? Date else { return nil }
        if let known = closedVersions[path], known.date == date { return known.version }
        guard let data = Self.bytes(atPath: path) else { return nil }
        let version = EditedVersion(path: path, name: name, text: DocumentText([UInt8](data)))
        closedVersions[path] = (date, version)
        return version
    }

    /// The bytes of a regular file. Reading a pipe would wait for its writer.
    static func bytes(atPath path: String) -> Data? { try? RegularFile.bytes(atPath: path, upToCount: 1 << 28) }

    /// The versions of a model, the oldest first.
    func versionTexts(ofBundle path: String) -> [EditedVersion] {
        guard path.hasSuffix(".xcdatamodeld") else { return [versionText(path + "/contents")].compactMap(\.self) }
        return versionNames(ofBundle: path).compactMap { versionText("\(path)/\($0).xcdatamodel/contents") }
    }

    /// The names of a model's versions, the oldest first.
    func versionNames(ofBundle path: String) -> [String] {
        let name = ModelPlan.name(ofModelAtPath: path)
        let order = bundles[path]?.options?.versions?[name] ?? []
        let names = ModelReader.versionNames(inBundle: path)
        return order.filter(names.contains) + names.filter { !order.contains($0) }
    }

    // MARK: Findings

    /// Checks a bundle and sends the findings.
    ///
    /// - Returns: Whether it was done; a newer text makes findings worthless.
    private func check(_ bundle: OpenBundle, withAdvice: Bool, isInterrupted: () -> Bool) -> Bool {
        let texts = texts
        var diagnostics = bundle.check(texts)
        if isInterrupted() { return false }
        if withAdvice {
            bundle.advice = FoundAdvice(advice(bundle.plan, bundle.path, texts), texts)
            if isInterrupted() { return false }
        }
        diagnostics.report(contentsOf: bundle.advice.moved(to: texts))
        for document in documents.values where document.place.bundle == bundle.path {
            diagnostics.report(contentsOf: brokenXML(document))
        }
        bundle.findings = Dictionary(grouping: diagnostics.sorted) { file(showing: $0, of: bundle) }
        var resolver = FindingResolver(texts)
        let files = Set(bundle.findings.keys).union(bundle.sent.keys)
            .union(documents.values.filter { $0.place.bundle == bundle.path }.map(\.path))
        for file in files.sorted() {
            let found = bundle.findings[file] ?? []
            let list = JSONValue.array(found.map { json($0, in: file, &resolver) })
            let key: JSONValue = [list, documents[file]?.version.map { .integer($0) } ?? .null]
            if bundle.sent[file] == key { continue }
            bundle.sent[file] = found.isEmpty && documents[file] == nil ? nil : key
            publish(list.array, file)
        }
        bundle.needsCheck = false
        if withAdvice { bundle.needsAdvice = false }
        return true
    }

    /// The syntax errors of the text itself. The pipeline reads a repaired text, and does not find them.
    private func brokenXML(_ document: OpenDocument) -> Diagnostics {
        var result = Diagnostics()
        guard let version = versionText(document.path), let repaired = version.repaired, repaired.isRepaired else {
            return result
        }
        let found = ModelReader.read(contents: document.text.bytes, named: version.name, file: document.path)
            .diagnostics
        for finding in found.all where finding.code == .malformedXML { result.report(finding) }
        return result
    }

    /// The file in which a finding is shown. One about the bundle itself is shown in the current version.
    private func file(showing finding: Diagnostic, of bundle: OpenBundle) -> String {
        let file = finding.location.file
        if ModelPath(ofFile: file) != nil || file.hasSuffix(".json") || file.hasSuffix(".xccurrentversion") {
            return file
        }
        let open = documents.values.filter { $0.place.bundle == bundle.path }.map(\.path).sorted()
        let current = bundle.plan?.schema.graph.model.location.file
        return current ?? open.first { $0.hasSuffix("/contents") } ?? open.first ?? file
    }

    private func publish(_ list: [JSONValue], _ file: String) {
        let document = documents[file]
        notify(
            "textDocument/publishDiagnostics",
            .members([
                "uri": .string(document?.uri ?? FileURI.uri(file)), "version": document?.version.map { .integer($0) },
                "diagnostics": .array(list),
            ]))
    }
}

extension ModelServer: MessageHandler {
    func work(isAfterPause: Bool, isInterrupted: () -> Bool) -> Bool {
        for bundle in bundles.values.sorted(by: { $0.path < $1.path }) {
            if bundle.needsCheck {
                return check(bundle, withAdvice: false, isInterrupted: isInterrupted)
            }
            if isAfterPause, bundle.needsAdvice {
                return check(bundle, withAdvice: true, isInterrupted: isInterrupted)
            }
        }
        return bundles.values.contains { readAhead($0) }
    }

    /// Reads one of a model's versions, so that the first question about all of them does not wait for the files.
    ///
    /// - Returns: Whether there was one to read.
    private func readAhead(_ bundle: OpenBundle) -> Bool {
        let names = bundle.unreadVersions ?? versionNames(ofBundle: bundle.path)[...]
        bundle.unreadVersions = names.dropLast()
        guard let name = names.last, bundle.path.hasSuffix(".xcdatamodeld") else { return false }
        _ = versionText("\(bundle.path)/\(name).xcdatamodel/contents")?.names
        return true
    }

    var hasWorkForPause: Bool { bundles.values.contains { $0.needsAdvice } }
}
