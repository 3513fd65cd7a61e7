import Ashlar
import RandomNumbers
import RandomSeeds
import Testing

/// Compares searches with a tokenizer after SQLite's documentation of unicode61. Words consist of letters, numbers and
/// characters for private use; case is folded; diacritical marks of Latin letters are removed.
@Suite struct FullTextOracleTests {
    @Test(arguments: seeds(3)) func searchesFindTheDocumentsOfThePlainModel(_ seed: Seed) {
        var random = SeededGenerator(seed: seed)
        let operations = (0..<100).map { _ in FullTextOperation(random: &random) }
        expectSuccess(operations) { operations in try FullTextRun().failure(of: operations) }
    }
}

struct FullTextOperation: Sendable, CustomStringConvertible {
    enum Kind: Sendable {
        case insert, title, text, delete, save, rollback, child, turn, batchUpdate, batchDelete, batchInsert
    }

    let kind: Kind
    let seed: UInt64

    var description: String { "\(kind) \(seed)" }

    init(random: inout SeededGenerator) {
        seed = UInt64(random.number(0..<1_000_000))
        switch random.number(0..<20) {
        case ..<5: kind = .insert
        case ..<7: kind = .title
        case ..<10: kind = .text
        case 10: kind = .delete
        case ..<14: kind = .save
        case 14: kind = .rollback
        case 15: kind = .child
        case 16: kind = .turn
        case 17: kind = .batchUpdate
        case 18: kind = .batchDelete
        default: kind = .batchInsert
        }
    }
}

private struct Document: Equatable {
    var title: String { didSet { columns[0] = Self.words(title) } }
    var text: String? { didSet { columns[1] = Self.words(text ?? "") } }
    /// The words of both columns, which every search considers.
    private(set) var columns: [[String]]

    init(title: String, text: String?) {
        (self.title, self.text) = (title, text)
        columns = [title, text ?? ""].map(Self.words)
    }

    /// The words of a text, as the index has them.
    static func words(_ text: String) -> [String] {
        var words = [""]
        for scalar in text.unicodeScalars {
            if (0x300...0x331).contains(scalar.value) { continue }
            switch scalar.properties.generalCategory {
            case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
                .letterNumber, .otherNumber, .privateUse:
                words[words.count - 1] += folded(scalar)
            default: words.append("")
            }
        }
        return words.filter { !$0.isEmpty }
    }

    /// A letter in lower case, of the Latin script without marks.
    private static func folded(_ scalar: Unicode.Scalar) -> String {
        let lower = scalar.properties.lowercaseMapping.unicodeScalars
        let marks: [Unicode.Scalar: String] = [
            "é": "e", "ï": "i", "ö": "o", "ü": "u", "å": "a", "ñ": "n", "ç": "c", "š": "s",
        ]
        return lower.map { marks[$0] ?? (String($0) == "ς" ? "σ" : String($0)) }.joined()
    }

    func hasWord(_ word: String) -> Bool { columns.contains { $0.contains(word) } }

    func hasPhrase(_ phrase: [String]) -> Bool {
        columns.contains { words in
            guard words.count >= phrase.count else { return false }
            return (0...(words.count - phrase.count)).contains { Array(words[$0..<($0 + phrase.count)]) == phrase }
        }
    }
}

private final class FullTextRun {
    private static let pieces = [
        "École", "école", "ecole", "ÉCOLE", "e\u{301}cole", "Σοφία", "σοφία", "ΣΟΦΙΑ", "Чай", "чай", "ЧАЙ", "wall",
        "Wall",
        "wal", "great", "greater", "1st", "2", "22", "naïve", "Šö", "日本", "a", "A\u{30A}", "å", "x\u{E000}y", "ж",
    ]
    private static let separators = [" ", " ", " ", ", ", "-", "/", "'", "\"", "_", ".", "\n", "\u{2014}", "+", "😀"]

    private let container: ModelContainer
    private let roots: [ModelContext]
    private var context: ModelContext
    private var committed: [Int64: Document] = [:]
    private var documents: [[Int64: Document]] = [[:]]
    private var newKey: Int64 = 0
    private var log: [String] = []

    init() throws {
        let container = try ModelContainer(
            for: YardModel.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        self.container = container
        roots = (0..<2).map { _ in
            let context = ModelContext(container)
            context.automaticallyMergesChangesFromParent = true
            return context
        }
        context = roots[0]
    }

    private var current: [Int64: Document] {
        get { documents[documents.count - 1] }
        set { documents[documents.count - 1] = newValue }
    }

    func failure(of operations: [FullTextOperation]) throws -> String? {
        for operation in operations {
            do {
                if let failure = try perform(operation) { return "\(failure) after \(log)" }
            } catch {
                return "threw \(error) after \(log)"
            }
        }
        return try container.integrityProblems().first.map { "\($0) after \(log)" }
    }

    private static func text(_ random: inout SeededGenerator, _ count: Range<Int>) -> String {
        var text = ""
        for _ in 0..<random.number(count) {
            text += pieces.randomElement(using: &random) ?? ""
            text += separators.randomElement(using: &random) ?? " "
        }
        return text
    }

    private func perform(_ operation: FullTextOperation) throws -> String? {
        var random = SeededGenerator(seed: operation.seed)
        let text = Self.text(&random, 0..<7)
        let key = current.keys.sorted().randomElement(using: &random)
        log.append("\(operation.kind) \(text.debugDescription)")
        newKey += 1
        let isClean = documents.count == 1 && !context.hasChanges
        switch operation.kind {
        case .insert:
            let document = Document(title: text, text: random.oneIn(3) ? nil : Self.text(&random, 1..<6))
            context.insert(Note(key: newKey, text: document.text, title: document.title))
            current[newKey] = document
        case .title:
            guard let key else { break }
            try note(key).title = text
            current[key]?.title = text
        case .text:
            guard let key else { break }
            let new = random.oneIn(4) ? nil : text
            try note(key).text = new
            current[key]?.text = new
        case .delete:
            guard let key else { break }
            context.delete(try note(key))
            current[key] = nil
        case .save: try save()
        case .rollback:
            context.rollback()
            current = documents.count > 1 ? documents[0] : committed
        case .child:
            if documents.count > 1 { break }
            context = ModelContext(parent: context)
            documents.append(current)
        case .turn:
            if let parent = context.parent {
                try save()
                context = parent
                documents.removeLast()
            }
            try save()
            context = roots[random.number(0..<roots.count)]
        case .batchUpdate:
            guard isClean, let key else { break }
            try context.batchUpdate(Note.where { $0.key <= key }) { $0.text = text }
            for other in committed.keys where other <= key { committed[other]?.text = text }
            current = committed
        case .batchDelete:
            guard isClean, let word = Document.words(text).first else { break }
            try context.batchDelete(Note.where { $0.search.matches(.allTerms(word)) })
            committed = committed.filter { !$0.value.hasWord(word) }
            current = committed
        case .batchInsert:
            guard isClean else { break }
            try context.batchInsert(contentsOf: [Note.Values(key: newKey, text: nil, title: text)])
            committed[newKey] = Document(title: text, text: nil)
            current = committed
        }
        for _ in 0..<3 {
            if let wrong = try search(&random, context, current) { return wrong }
            if let wrong = try search(&random, ModelContext(container), committed) { return "the store: \(wrong)" }
        }
        return nil
    }

    private func save() throws {
        try context.save()
        if documents.count > 1 { documents[0] = current } else { committed = current }
    }

    private func note(_ key: Int64) throws -> Note {
        let found = try context.fetch(Note.where { $0.key == key })
        guard found.count == 1 else { throw YardError.notOne(Note.self, found.map(\.key)) }
        return found[0]
    }

    private func search(
        _ random: inout SeededGenerator, _ context: ModelContext, _ documents: [Int64: Document]
    ) throws -> String? {
        let text = Self.text(&random, 0..<3)
        let words = Document.words(text)
        let others = Self.text(&random, 1..<2)
        let excluded = Document.words(others)
        func all(_ document: Document) -> Bool { !words.isEmpty && words.allSatisfy(document.hasWord) }
        func hasBeginning(_ document: Document) -> Bool {
            guard let last = words.last else { return false }
            return words.dropLast().allSatisfy(document.hasWord)
                && document.columns.joined().contains { $0.unicodeScalars.starts(with: last.unicodeScalars) }
        }
        let searches: [(String, FullTextQuery, (Document) -> Bool)] = [
            ("all terms", .allTerms(text), all),
            ("any term", .anyTerm(text), { words.contains(where: $0.hasWord) }),
            ("the phrase", .phrase(text), { !words.isEmpty && $0.hasPhrase(words) }),
            ("the prefix", .prefix(text), hasBeginning),
            (
                "the terms without others", .allTerms(text).excluding(.anyTerm(others)),
                { all($0) && !excluded.contains(where: $0.hasWord) }
            ),
        ]
        for (name, query, isFound) in searches {
            let descriptor = Note.where { $0.search.matches(query) }
            let found = try context.fetch(descriptor).map(\.key).sorted()
            let expected = documents.filter { isFound($0.value) }.map(\.key).sorted()
            if found != expected {
                return
                    "\(name) \(text.debugDescription) without \(others.debugDescription) finds \(found), not \(expected)"
            }
            if try context.fetchCount(descriptor) != found.count { return "\(name) \(text) counts others" }
        }
        return nil
    }
}
