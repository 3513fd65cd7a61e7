import DataModel
import ModelFormat

extension ModelServer {
    /// The name under the cursor, if it can be changed.
    func prepareRename(_ parameters: JSONValue) throws(ResponseError) -> JSONValue {
        guard let (version, _, found) = try occurrence(parameters) else { return .null }
        return [
            "range": version.text.range(found.range, client.encoding), "placeholder": .string(found.item.name),
        ]
    }

    /// The edits that give a part of a version another name, everywhere in the version.
    func rename(_ parameters: JSONValue) throws(ResponseError) -> JSONValue {
        guard let name = parameters["newName"].string else {
            throw ResponseError(.invalidParameters, "The request has no new name.")
        }
        guard let (version, _, found) = try occurrence(parameters) else {
            throw ResponseError(.requestFailed, "There is no name at the cursor.")
        }
        let bundle = try document(parameters).place.bundle
        let edits: [TextEdit]
        do {
            edits = try versionText(version, bundle).textEdits(for: .rename(found.item, to: name))
        } catch {
            throw ResponseError(.requestFailed, "\(error)")
        }
        let byFile = Dictionary(grouping: edits, by: \.file)
        return workspaceEdit(byFile.mapValues { $0.map { ($0.range, $0.replacement) } })
    }

    /// The text of a version as edits change it, with those of the bundles that it is merged with.
    private func versionText(_ version: EditedVersion, _ bundle: String) throws -> VersionText {
        let path = version.path
        if group(of: version).count == 1 {
            return try VersionText(
                contents: version.text.bytes, file: path, previous: before(version, in: bundle)?.model)
        }
        var reader = bundles[bundle]?.options?.reader(ofModelAtPath: bundle) ?? ModelReader()
        // The texts as they are written, because edits have places in them.
        reader.texts = ModelTexts(open: documents.mapValues { $0.text.bytes })
        guard let model = reader.read(atPath: bundle).model else { throw ModelEditingError.noCurrentVersion(bundle) }
        return try VersionText.version(
            version.name, of: model, atPath: bundle, reader.texts, mergedInto: bundles.keys.sorted())
    }

    /// The version before another one.
    func before(_ version: EditedVersion, in bundle: String) -> EditedVersion? {
        let names = versionNames(ofBundle: bundle)
        guard let index = names.firstIndex(of: version.name), index > 0 else { return nil }
        return versionText("\(bundle)/\(names[index - 1]).xcdatamodel/contents")
    }

    /// The edit that writes a version as Xcode does. There is none of a text that cannot be read.
    func formatting(_ parameters: JSONValue) throws(ResponseError) -> JSONValue {
        let document = try document(parameters)
        let old = document.text.bytes
        guard case .version = document.place.kind,
            let new = try? ModelFormatter.formatted(old, file: document.path), new != old
        else { return .array([]) }
        // The edit replaces only the differing part, so that the cursor keeps its place.
        var start = zip(old, new).prefix { $0 == $1 }.count
        while start > 0, start < old.count, old[start] & 0xC0 == 0x80 { start -= 1 }
        var length = zip(old[start...].reversed(), new[start...].reversed()).prefix { $0 == $1 }.count
        while length > 0, old[old.count - length] & 0xC0 == 0x80 { length -= 1 }
        return [
            [
                "range": document.text.range(start..<old.count - length, client.encoding),
                "newText": .string(String(decoding: new[start..<new.count - length], as: UTF8.self)),
            ]
        ]
    }
}
