import DataModel
import ModelFormat

extension ModelServer {
    /// The texts that can stand at the cursor.
    func completion(_ parameters: JSONValue) throws(ResponseError) -> JSONValue {
        let document = try document(parameters)
        let offset = try offset(parameters, in: document)
        if document.place.kind == .script { return scriptCompletion(document, offset) }
        guard let version = versionText(document.path) else { return ["isIncomplete": false, "items": []] }
        let place = CursorPlace(version, at: offset)
        var items: [CompletionItem]
        var replaced = place.replaced
        switch place.kind {
        case .nothing: items = []
        case .content, .elementName: items = elements(place, version, document.place.bundle)
        case .endTag: items = endTags(place, version)
        case .attributeName: items = attributeNames(place, version, endingAt: offset)
        case .value(let name):
            if let format = FormatPlace(name, place, version, offset) {
                items = format.items
                replaced = format.replaced
            } else {
                items = ValueCompletion(self, version, document.place.bundle, place).items(of: name)
                if let start = wordStart(place, name, version.text.bytes, offset) {
                    replaced = start..<max(start, wordEnd(version.text.bytes, offset, place.replaced))
                }
            }
        }
        return [
            "isIncomplete": false,
            "items": .array(items.map { json($0, replacing: replaced, at: offset, in: document.text) }),
        ]
    }

    /// Where the word begins in a value that is a list.
    private func wordStart(_ place: CursorPlace, _ name: String, _ bytes: [UInt8], _ offset: Int) -> Int? {
        guard name == "value", place.elementName == "entry" else { return nil }
        var start = offset
        while start > place.replaced.lowerBound, bytes[start - 1] != 0x20, bytes[start - 1] != UInt8(ascii: ",") {
            start -= 1
        }
        return start
    }

    private func wordEnd(_ bytes: [UInt8], _ offset: Int, _ value: Range<Int>) -> Int {
        var end = offset
        while end < value.upperBound, bytes[end] != 0x20, bytes[end] != UInt8(ascii: ",") { end += 1 }
        return end
    }

    func json(
        _ item: CompletionItem, replacing range: Range<Int>, at offset: Int, in text: DocumentText
    ) -> JSONValue {
        // Clients take only edits of the line that the cursor is in.
        let line = text.position(of: offset, client.encoding).line
        var range = range
        if text.position(of: range.upperBound, client.encoding).line != line { range = range.lowerBound..<offset }
        if text.position(of: range.lowerBound, client.encoding).line != line { range = offset..<range.upperBound }
        let isSnippet = item.isSnippet && client.acceptsSnippets
        let written = isSnippet ? item.text ?? item.label : item.plainText
        let old = String(decoding: text.bytes[range], as: UTF8.self)
        return .members([
            "label": .string(item.label), "kind": .integer(item.kind.rawValue),
            "detail": item.detail.map { .string($0) },
            "sortText": .string("\(item.rank) \(item.label)"),
            // Clients compare this with the text that is replaced.
            "filterText": .string(old.hasPrefix("<") && !item.label.hasPrefix("<") ? "<\(item.label)" : item.label),
            "insertTextFormat": .integer(isSnippet ? 2 : 1),
            "textEdit": ["range": text.range(range, client.encoding), "newText": .string(written)],
            "additionalTextEdits": item.edits.isEmpty
                ? nil
                : .array(
                    item.edits.map {
                        ["range": text.range($0.range, client.encoding), "newText": .string($0.text)]
                    }),
        ])
    }

    // MARK: Elements

    private func elements(_ place: CursorPlace, _ version: EditedVersion, _ bundle: String) -> [CompletionItem] {
        guard let document = version.document, let parent = place.parent else {
            return version.document == nil ? [ElementSnippets.model] : []
        }
        let name = document.name(of: document.elements[parent])
        guard let children = FormatVocabulary.children[name] else { return [] }
        var items = children.flatMap { ElementSnippets.items($0, in: name) }
        if name == "entity", let owner = document.value("name", of: document.elements[parent]) {
            items += relationshipsWithInverse(of: owner, version)
        }
        if document.elements[parent].endTag == nil {
            items.append(CompletionItem("</\(name)>", .keyword, text: "</\(name)>", rank: 1))
        }
        return items
    }

    private func endTags(_ place: CursorPlace, _ version: EditedVersion) -> [CompletionItem] {
        guard let document = version.document, let parent = place.parent else { return [] }
        let name = document.name(of: document.elements[parent])
        return [CompletionItem("</\(name)>", .keyword)]
    }

    /// A relationship to each other entity, with its inverse there.
    private func relationshipsWithInverse(of owner: String, _ version: EditedVersion) -> [CompletionItem] {
        guard let model = version.model, model.entities.count <= 200 else { return [] }
        var items: [CompletionItem] = []
        for entity in model.entities where entity.name != owner {
            for isToMany in [false, true] {
                let name = ModelEditor.inverseName(of: entity.name, isToMany: isToMany)
                let inverse = ModelEditor.inverseName(of: owner, isToMany: !isToMany)
                if entity.relationships.contains(where: { $0.name == inverse }) { continue }
                let count = isToMany ? "toMany=\"YES\"" : "maxCount=\"1\""
                var item = CompletionItem(
                    "relationship \(name) with inverse \(entity.name).\(inverse)", .snippet,
                    text: "<relationship name=\"\(name)\" optional=\"YES\" \(count) deletionRule=\"Nullify\" "
                        + "destinationEntity=\"\(entity.name)\" inverseName=\"\(inverse)\" "
                        + "inverseEntity=\"\(entity.name)\"/>",
                    detail: isToMany ? "to many" : "to one", rank: 7)
                let attributes: KeyValuePairs =
                    isToMany
                    ? [
                        "name": inverse, "optional": "YES", "maxCount": "1", "deletionRule": "Nullify",
                        "destinationEntity": owner, "inverseName": name, "inverseEntity": owner,
                    ]
                    : [
                        "name": inverse, "optional": "YES", "toMany": "YES", "deletionRule": "Nullify",
                        "destinationEntity": owner, "inverseName": name, "inverseEntity": owner,
                    ]
                let change = Diagnostic.Change(
                    entity.location, .addChild(Diagnostic.NewElement("relationship", attributes)))
                guard let edits = version.edits(for: [change]) else { continue }
                item.edits = edits
                items.append(item)
            }
        }
        return items
    }

    // MARK: Attributes

    private func attributeNames(
        _ place: CursorPlace, _ version: EditedVersion, endingAt offset: Int
    ) -> [CompletionItem] {
        guard let names = FormatVocabulary.attributes[place.elementName] else { return [] }
        let bytes = version.text.bytes
        // A name that is only changed keeps its value.
        var next = place.replaced.upperBound
        while next < bytes.count, bytes[next] == 0x20 { next += 1 }
        let hasValue = next < bytes.count && bytes[next] == UInt8(ascii: "=")
        let typed = place.typed(bytes, offset)
        return names.enumerated().filter { place.attributes[$1] == nil || $1 == typed }.map { index, name in
            let value = FormatVocabulary.usualValue(of: name, in: place.elementName)
            let text = hasValue ? name : "\(name)=\"\(value.map { "${1:\($0)}" } ?? "$1")\"$0"
            return CompletionItem(
                name, .property, text: text, isSnippet: !hasValue,
                detail: FormatVocabulary.booleans.contains(name) ? "YES or NO" : nil,
                rank: FormatVocabulary.isUsual(name, in: place.elementName) ? 1 + min(index / 8, 3) : 6)
        }
    }
}
