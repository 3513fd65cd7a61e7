import Foundation
import RandomNumbers
import RandomSeeds
import Testing
import ThreadTraits

@testable import Ashlar

/// Accesses to a property during another access to it. Swift does not check generated properties for these; see
/// Access-checks-are-off-for-objects.md in Documentation/Decisions. Either value may stay, but memory stays sound.
@Suite(.ownThreads) struct OverlappingAccessTests {
    @Test(arguments: seeds()) func memoryStaysSound(seed: Seed) async {
        // A separate process, which a memory error would end.
        await #expect(processExitsWith: .success, "seed \(seed)") { [number = seed.number as UInt64] in
            let accesses = try OverlappingAccesses(seed: number)
            for _ in 0..<(300 * TestEffort.factor) {
                accesses.step(depth: 0)
                try accesses.check()
            }
            try accesses.finish()
        }
    }
}

/// Random accesses to the properties of one object, up to four nested in each other.
private final class OverlappingAccesses {
    private typealias Color = PaletteTransformer.Color

    struct Unsound: Error {
        var text: String
    }

    private let container: ModelContainer
    private let context: ModelContext
    private let article: Article
    private var random: SeededGenerator

    init(seed: UInt64) throws {
        random = SeededGenerator(seed: seed)
        container = try memoryContainer(StudioModel.self)
        context = ModelContext(container)
        article = Article(title: "a title that is too long to lie within its string")
        context.insert(article)
        for number in 0..<3 { context.insert(Chapter(name: "chapter \(number)", article: article)) }
        try context.save()
        // Only now, so that the insertion is not undone.
        context.undoManager = ModelUndoManager()
    }

    private func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

    private func text() -> String { String(repeating: "å", count: number(0..<60)) }

    func step(depth: Int) {
        switch number(0..<(depth < 4 ? 14 : 10)) {
        case 0: article.title = text()
        case 1: article.body = number(0..<3) == 0 ? nil : text()
        case 2: article.colors = (0..<number(0..<20)).map { Color(red: UInt8($0), green: 0, blue: 255) }
        case 3: article.likes += 1
        case 4: _ = article.values
        case 5: try? context.save()
        case 6: try? context.refresh(article, mergeChanges: number(0..<2) == 0)
        case 7: context.undoManager?.undo()
        case 8:
            if let chapter = article.chapters.first { article.chapters.move(chapter, to: article.chapters.count - 1) }
        case 9: context.rollback()
        case 10: change(&article.title, depth)
        case 11: change(&article.likes, depth)
        case 12: changeOptional(&article.body, depth)
        default: change(&article.colors, depth)
        }
    }

    private func change(_ value: inout String, _ depth: Int) {
        let before = value
        value += text()
        step(depth: depth + 1)
        value.append("é")
        step(depth: depth + 1)
        if number(0..<2) == 0 { value = before }
    }

    private func changeOptional(_ value: inout String?, _ depth: Int) {
        value = (value ?? "") + text()
        step(depth: depth + 1)
        if value != nil { value?.append(text()) }
    }

    private func change(_ value: inout Int64, _ depth: Int) {
        value += 1
        step(depth: depth + 1)
        value += 1
    }

    private func change(_ value: inout [Color]?, _ depth: Int) {
        value = (value ?? []) + [Color(red: 9, green: 9, blue: 9)]
        step(depth: depth + 1)
        if value != nil { value?.append(Color(red: 1, green: 0, blue: 1)) }
        if value?.isEmpty == false { value?.removeLast() }
    }

    /// Reads all values from their first byte to their last.
    func check() throws {
        for text in [article.title, article.body ?? ""] {
            guard text.unicodeScalars.allSatisfy({ $0 == "å" || $0 == "é" || $0.isASCII }) else {
                throw Unsound(text: text)
            }
        }
        guard article.colors?.allSatisfy({ $0.green == 0 || $0.green == 9 }) ?? true else {
            throw Unsound(text: "colors")
        }
    }

    /// Values that are set outside an access are saved, and other contexts read them. (The context does not detect a
    /// change that an access makes after a save within the same access.)
    func finish() throws {
        article.title = "the end"
        article.body = "of it"
        article.likes = -1
        article.colors = [Color(red: 7, green: 7, blue: 7)]
        try context.save()
        let found = try ModelContext(container).fetch(FetchDescriptor<Article>())
        guard found.count == 1, found[0].title == "the end", found[0].body == "of it", found[0].likes == -1,
            found[0].colors == [Color(red: 7, green: 7, blue: 7)]
        else { throw Unsound(text: "saved: \(found.map(\.values))") }
    }
}
