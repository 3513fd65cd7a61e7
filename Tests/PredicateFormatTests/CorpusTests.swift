import Foundation
import PredicateFormat
import Testing

/// Real models beside the project, if a machine has them. They belong to others and are not part of it.
private enum Corpus {
    static let folder = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("shared/corpus/models").path

    static var exists: Bool { FileManager.default.fileExists(atPath: folder) }

    /// The values of an XML attribute in all models, read without an XML parser, which this target does not need.
    static func values(of attribute: String) -> Set<String> {
        var values: Set<String> = []
        let enumerator = FileManager.default.enumerator(atPath: folder)
        while let path = enumerator?.nextObject() as? String {
            guard path.hasSuffix("/contents"), let data = FileManager.default.contents(atPath: "\(folder)/\(path)")
            else {
                continue
            }
            let text = String(decoding: data, as: UTF8.self)
            for piece in text.components(separatedBy: " \(attribute)=\"").dropFirst() {
                let value = piece.prefix { $0 != "\"" }.replacingOccurrences(of: "&quot;", with: "\"")
                    .replacingOccurrences(of: "&apos;", with: "'").replacingOccurrences(of: "&lt;", with: "<")
                    .replacingOccurrences(of: "&gt;", with: ">").replacingOccurrences(of: "&amp;", with: "&")
                values.insert(value)
            }
        }
        return values
    }
}

@Suite("Real models", .enabled(if: Corpus.exists, "there is no corpus of real models on this machine"))
struct CorpusTests {
    @Test func everyPredicateIsRead() {
        let texts = Corpus.values(of: "predicateString").union(Corpus.values(of: "partialIndexPredicate"))
        #expect(!texts.isEmpty)
        for text in texts {
            #expect(throws: Never.self, "\(text)") { try ParsedPredicate(parsing: text, allowsArguments: false) }
        }
    }

    @Test func everyDerivationIsRead() {
        let texts = Corpus.values(of: "derivationExpression")
        #expect(!texts.isEmpty)
        for text in texts {
            #expect(throws: Never.self, "\(text)") { try ParsedExpression(parsing: text, allowsArguments: false) }
        }
    }
}
