import DataModel
import ModelFormat
import RelationalSchema

extension ModelServer {
    /// The tables and columns that a migration script can name: those of the version that it leads to, and of the one
    /// before.
    func scriptCompletion(_ document: OpenDocument, _ offset: Int) -> JSONValue {
        let bytes = document.text.bytes
        var start = offset
        while start > 0, Self.isName(bytes[start - 1]) { start -= 1 }
        let wordStart = start
        if start > 0, bytes[start - 1] == UInt8(ascii: "\"") { start -= 1 }
        var end = offset
        while end < bytes.count, Self.isName(bytes[end]) { end += 1 }
        if start < wordStart, end < bytes.count, bytes[end] == UInt8(ascii: "\"") { end += 1 }
        let table = tableName(before: start, in: bytes)
        var items: [String: CompletionItem] = [:]
        for (version, schema) in schemas(ofScript: document) {
            for found in schema.tables {
                if let table {
                    guard SQLText.folded(found.name) == SQLText.folded(table) else { continue }
                    for column in found.columns { add(column.name, .field, column.definition, version, to: &items) }
                } else {
                    add(found.name, .classKind, "table", version, to: &items)
                    for column in found.columns { add(column.name, .field, found.name, version, to: &items, rank: 6) }
                }
            }
        }
        return [
            "isIncomplete": false,
            "items": .array(
                items.values.sorted { ($0.rank, $0.label) < ($1.rank, $1.label) }
                    .map { json($0, replacing: start..<end, at: offset, in: document.text, quoted: start < wordStart) }),
        ]
    }

    private func json(
        _ item: CompletionItem, replacing range: Range<Int>, at offset: Int, in text: DocumentText, quoted: Bool
    ) -> JSONValue {
        guard case .object(var members) = json(item, replacing: range, at: offset, in: text) else { return .null }
        if quoted { members["filterText"] = .string("\"\(item.label)\"") }
        return .object(members)
    }

    private func add(
        _ name: String, _ kind: CompletionItem.Kind, _ detail: String, _ version: String,
        to items: inout [String: CompletionItem], rank: Int = 4
    ) {
        if items[name] != nil { return }
        items[name] = CompletionItem(
            name, kind, text: SQLText.identifier(name), detail: "\(detail) (\(version))", rank: rank)
    }

    /// The name of a table in front of a point.
    private func tableName(before offset: Int, in bytes: [UInt8]) -> String? {
        guard offset > 0, bytes[offset - 1] == UInt8(ascii: ".") else { return nil }
        var end = offset - 1
        if end > 0, bytes[end - 1] == UInt8(ascii: "\"") { end -= 1 }
        var start = end
        while start > 0, Self.isName(bytes[start - 1]) { start -= 1 }
        return start < end ? String(decoding: bytes[start..<end], as: UTF8.self) : nil
    }

    /// The tables that a script finds: those of its moment first.
    private func schemas(ofScript document: OpenDocument) -> [(version: String, schema: Schema)] {
        let file = document.path.split(separator: "/").last.map(String.init) ?? ""
        let isBefore = file.hasSuffix(".before.sql")
        let name = String(file.dropLast(isBefore ? ".before.sql".count : ".sql".count))
        let names = versionNames(ofBundle: document.place.bundle)
        guard let position = names.firstIndex(of: name) else { return [] }
        let found = [name, position > 0 ? names[position - 1] : nil].compactMap(\.self)
        return (isBefore ? found.reversed() : found).compactMap { version in
            versionText("\(document.place.bundle)/\(version).xcdatamodel/contents")?.schema.map { (version, $0) }
        }
    }

    private static func isName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
            true
        default: false
        }
    }
}
