import Ashlar
import AshlarCoreData
import Testing

/// Texts as people type them, beside an attribute that is derived by `canonical:(…)`.
@Suite struct DerivedTextTests {
    let context: ModelContext

    init() throws {
        context = ModelContext(
            try ModelContainer(for: StockModel.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    }

    /// Each letter of the planes that have letters with cases and marks.
    @Test func theStoreAndTheFunctionFoldAlike() throws {
        let scalars = (1...0x2FFFF as ClosedRange<UInt32>).compactMap { Unicode.Scalar($0) }
        var texts = stride(from: 0, to: scalars.count, by: 64).map { start in
            String(String.UnicodeScalarView(scalars[start..<min(start + 64, scalars.count)]))
        }
        texts += ["", "ABC xyz ~", "CAFE\u{301}", "A\u{0}B", "É\u{0}É", "\tA", "ΣΑΣ", "🎉É", "a\u{5B0}\u{301}"]
        try context.batchInsert(contentsOf: texts.enumerated().map { Word.Values(number: Int64($0), text: $1) })
        let keys = try context.fetch(Word.order { $0.number }.select { $0.key })
        let isSame = zip(keys, texts).map { key, text in
            key.map { Array($0.utf8) } == Array(DerivedText.canonical(text).utf8)
        }
        #expect(keys.count == texts.count)
        #expect(isSame.enumerated().filter { !$0.element }.map(\.offset) == [])
    }

    @Test(arguments: ["café", "CAFÉ", "Cafe\u{301}", "cafe"]) func theIndexFindsWhatIsTyped(_ typed: String) throws {
        try context.batchInsert(
            contentsOf: (0..<500).map { Word.Values(number: $0, text: $0 % 100 == 7 ? "Café \($0)" : "tea \($0)") })
        let byClosure = Word.where { $0.key.hasPrefix(DerivedText.canonical(typed)) }
        let byText = try FetchDescriptor<Word>(format: "key BEGINSWITH canonical:(%@)", typed)
        for descriptor in [byClosure, byText] {
            #expect(try context.fetchCount(descriptor) == 5)
            #expect(try descriptor.explain(in: context).contains { $0.contains("byKey") })
        }
        #expect(try context.fetchCount(FetchDescriptor<Word>(format: "canonical:(text) == key")) == 500)
    }
}
