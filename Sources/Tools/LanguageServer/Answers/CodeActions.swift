import DataModel
import Foundation
import GeneratorPipeline
import ModelFormat

extension ModelServer {
    /// The fixes of the findings under the cursor, and other changes that a person may want there.
    func codeActions(_ parameters: JSONValue) throws(ResponseError) -> JSONValue {
        let document = try document(parameters)
        guard client.acceptsCodeActionLiterals, case .version = document.place.kind,
            let version = versionText(document.path),
            let range = version.text.range(parameters["range"], client.encoding),
            let bundle = bundles[document.place.bundle]
        else { return .array([]) }
        let kinds = parameters["context"]["only"].array.compactMap(\.string)
        func isWanted(_ kind: String) -> Bool {
            kinds.isEmpty || kinds.contains { kind == $0 || kind.hasPrefix($0 + ".") }
        }
        var actions: [JSONValue] = []
        if isWanted("quickfix") { actions += fixes(of: bundle, in: version, range) }
        if isWanted("refactor"), let action = newVersion(of: bundle, version) { actions.append(action) }
        return .array(actions)
    }

    private func fixes(of bundle: OpenBundle, in version: EditedVersion, _ range: Range<Int>) -> [JSONValue] {
        // The client may have a newer text than the findings.
        if bundle.needsCheck { _ = work(isAfterPause: false, isInterrupted: { false }) }
        var resolver = FindingResolver(texts)
        var actions: [JSONValue] = []
        var titles: Set<String> = []
        for finding in bundle.findings[version.path] ?? [] where finding.location.file == version.path {
            guard let bytes = bytes(of: finding, &resolver), bytes.lowerBound <= range.upperBound,
                range.lowerBound <= bytes.upperBound
            else { continue }
            let shown = json(finding, in: version.path, &resolver)
            for (number, fix) in (finding.fixes + inserted(finding, version)).enumerated() {
                guard let edits = version.edits(for: fix.changes),
                    titles.insert("\(fix.title) \(edits.first?.range.lowerBound ?? 0)").inserted
                else { continue }
                actions.append(
                    .members([
                        "title": .string(fix.title), "kind": "quickfix", "diagnostics": [shown],
                        "isPreferred": number == 0 && (fix.isSafe || finding.fixes.count == 1) ? true : nil,
                        "edit": workspaceEdit([version.path: edits]),
                    ]))
            }
            guard finding.severity != .error, let element = element(of: finding, in: version) else { continue }
            let silence = Diagnostic.Change(
                element, .setEntry(UserInfo.silenceKey, to: silencedCodes(at: element, in: version, finding.code)))
            if let edits = version.edits(for: [silence]), titles.insert("\(finding.code) \(element.line)").inserted {
                actions.append([
                    "title": .string("Silence '\(finding.code.rawValue)' here"), "kind": "quickfix",
                    "diagnostics": [shown], "edit": workspaceEdit([version.path: edits]),
                ])
            }
        }
        return actions
    }

    /// The attribute that an element lacks, with a value to replace.
    private func inserted(_ finding: Diagnostic, _ version: EditedVersion) -> [Diagnostic.Fix] {
        guard finding.code == .missingAttribute || finding.code == .missingAttributeType,
            let match = finding.notes.lazy.compactMap({ $0.firstMatch(of: #/Add ([A-Za-z]+)="…"/#) }).first,
            let element = element(of: finding, in: version)
        else { return [] }
        let name = String(match.1)
        let value =
            switch name {
            case "attributeType": "String"
            case "name": "name"
            default: FormatVocabulary.usualValue(of: name, in: "") ?? ""
            }
        if value.isEmpty { return [] }
        return [.setting(name, to: value, of: element)]
    }

    /// The place of the element that a finding is about, which can have `userInfo`.
    private func element(of finding: Diagnostic, in version: EditedVersion) -> SourceLocation? {
        guard let document = version.document, let offset = version.offset(of: finding.location),
            let index = document.element(startingAtOrBefore: offset)
        else { return nil }
        return version.location(of: document.elements[index].startTag.lowerBound)
    }

    private func silencedCodes(at element: SourceLocation, in version: EditedVersion, _ code: Diagnostic.Code) -> String
    {
        guard let document = version.document, let offset = version.offset(of: element),
            let index = document.element(at: offset)
        else { return code.rawValue }
        let entries = document.elements[index].children.filter {
            document.name(of: document.elements[$0]) == "userInfo"
        }
        .flatMap { document.elements[$0].children }.map { document.elements[$0] }
        let known = entries.first { document.value("key", of: $0) == UserInfo.silenceKey }
            .flatMap { document.value("value", of: $0) }
        return ([known].compactMap(\.self) + [code.rawValue]).joined(separator: ", ")
    }

    /// A copy of the current version as the new current one.
    private func newVersion(of bundle: OpenBundle, _ version: EditedVersion) -> JSONValue? {
        let current = bundle.plan?.schema.graph.model.name ?? versionNames(ofBundle: bundle.path).last
        guard client.acceptsFileCreation, bundle.path.hasSuffix(".xcdatamodeld"), current == version.name,
            let new = ModelBundleEditor.newVersion(ofBundleAtPath: bundle.path, after: version.name)
        else { return nil }
        let list = "\(bundle.path)/.xccurrentversion"
        let isListed = FileManager.default.fileExists(atPath: list)
        let start: JSONValue = ["line": 0, "character": 0]
        func insertion(_ path: String, _ text: String) -> [JSONValue] {
            [
                ["kind": "create", "uri": .string(uri(path))],
                [
                    "textDocument": ["uri": .string(uri(path)), "version": nil],
                    "edits": [["range": ["start": start, "end": start], "newText": .string(text)]],
                ],
            ]
        }
        var changes = insertion(
            "\(bundle.path)/\(new.name).xcdatamodel/contents", String(decoding: version.text.bytes, as: UTF8.self))
        if isListed, let text = text(list) {
            changes.append([
                "textDocument": ["uri": .string(uri(list)), "version": nil],
                "edits": [
                    [
                        "range": text.range(0..<text.bytes.count, client.encoding),
                        "newText": .string(new.currentVersionList),
                    ]
                ],
            ])
        } else {
            changes += insertion(list, new.currentVersionList)
        }
        return [
            "title": .string("Begin the version '\(new.name)'"), "kind": "refactor",
            "edit": ["documentChanges": .array(changes)],
        ]
    }

    /// Edits of files as one change for the client.
    func workspaceEdit(_ edits: [String: [(range: Range<Int>, text: String)]]) -> JSONValue {
        func list(_ path: String, _ edits: [(range: Range<Int>, text: String)]) -> JSONValue {
            guard let text = text(path) else { return .array([]) }
            return .array(
                edits.map { ["range": text.range($0.range, client.encoding), "newText": .string($0.text)] })
        }
        if client.acceptsVersionedEdits {
            let changes = edits.sorted { $0.key < $1.key }.map { path, edits -> JSONValue in
                [
                    "textDocument": [
                        "uri": .string(uri(path)), "version": documents[path]?.version.map { .integer($0) } ?? .null,
                    ],
                    "edits": list(path, edits),
                ]
            }
            return ["documentChanges": .array(changes)]
        }
        return [
            "changes": .object(
                Dictionary(edits.map { (uri($0.key), list($0.key, $0.value)) }, uniquingKeysWith: { $1 }))
        ]
    }
}
