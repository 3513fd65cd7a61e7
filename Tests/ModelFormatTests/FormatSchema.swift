import CRelaxNG
import Foundation

@testable import ModelFormat

/// The RELAX NG schema of the format, `Models/xcdatamodel.rng`, as libxml2 understands it.
final class FormatSchema {
    /// Why there is no schema.
    struct Unreadable: Error {
        var message: String
    }

    static let package = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    static var text: String {
        get throws { try String(contentsOf: package.appending(path: "Models/xcdatamodel.rng"), encoding: .utf8) }
    }

    private let schema: OpaquePointer

    /// Reads the schema.
    init() throws {
        let bytes = Array(try Self.text.utf8)
        var message = [CChar](repeating: 0, count: Int(CRELAXNG_MESSAGE_SIZE))
        guard let schema = CRelaxNGSchemaCreate(bytes, bytes.count, &message) else {
            throw Unreadable(message: Self.string(message))
        }
        self.schema = schema
    }

    deinit { CRelaxNGSchemaDestroy(schema) }

    /// The reason why a document is refused; nil if it is accepted.
    func refusal(of document: some Sequence<UInt8>) -> String? {
        let bytes = Array(document)
        var message = [CChar](repeating: 0, count: Int(CRELAXNG_MESSAGE_SIZE))
        return CRelaxNGSchemaAccepts(schema, bytes, bytes.count, &message) ? nil : Self.string(message)
    }

    private static func string(_ message: [CChar]) -> String {
        String(decoding: message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// The attributes and elements that the schema allows in each element, for a comparison with the reader's.
struct SchemaVocabulary {
    private(set) var attributes: [String: Set<String>] = [:]
    private(set) var children: [String: Set<String>] = [:]
    private var definitions: [String: XMLElement] = [:]

    init(_ grammar: XMLElement) {
        for definition in grammar.children(named: "define") {
            if let name = definition["name"] { definitions[name] = definition }
        }
        for definition in grammar.children(named: "define") { collect(in: definition, of: nil, visited: []) }
    }

    /// Walks a pattern; definitions that an element refers to are as if they stood in it.
    private mutating func collect(in pattern: XMLElement, of owner: String?, visited: Set<String>) {
        for child in pattern.children {
            switch child.name {
            case "element":
                guard let name = child["name"] else { continue }
                if let owner { children[owner, default: []].insert(name) }
                attributes[name, default: []].formUnion([])
                collect(in: child, of: name, visited: [])
            case "attribute":
                if let owner, let name = child["name"] { attributes[owner, default: []].insert(name) }
            case "ref":
                guard let owner, let name = child["name"], !visited.contains(name), let target = definitions[name]
                else { continue }
                collect(in: target, of: owner, visited: visited.union([name]))
            default: collect(in: child, of: owner, visited: visited)
            }
        }
    }
}
