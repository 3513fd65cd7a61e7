import Ashlar
import Foundation
import PredicateFormat
import Testing

/// Every expression, in every state of the objects and in every place of a query, beside plain Swift values.
///
/// The plain values share no code with Ashlar. `Expressions.txt` names the questions of each public expression.
@Suite struct ExpressionTests {
    static let questions: [Question] = {
        var questions = Questions()
        questions.addTexts()
        questions.addNumbers()
        questions.addValues()
        questions.addObjects()
        questions.addPredicates()
        return questions.all
    }()

    @Test(arguments: questions) func aQuestionHasOneAnswer(_ question: Question) throws {
        let room = try StockRoom()
        var turn = 0
        try forEachState(room) { context, state in
            turn += 1
            try question.check(room, in: context, state, turn: turn)
        }
        // Batches
        let context = ModelContext(room.container)
        try question.forEachCondition(context) { condition, path, spelling, holds in
            let comment: Comment = "\(question.name), \(spelling), \(path), batch update"
            try room.expectUpdate(of: Thing.where { condition($0) }, holds, comment)
        }
        if question.isIdentity { return }
        try question.forEachCondition(context) { condition, path, spelling, holds in
            let comment: Comment = "\(question.name), \(spelling), \(path), batch deletion"
            if room.things.count > 4 {
                try room.expectDeletion(of: Thing.where { condition($0) }, holds, comment)
            }
        }
    }

    @Test(arguments: AggregateCase.all) func anAggregateHasOneAnswer(_ aggregate: AggregateCase) throws {
        let room = try StockRoom()
        try forEachState(room) { try aggregate.check(room, $0, "\($1)") }
    }

    /// Unsaved in a child and in its parent, saved, changed in a child and in its parent, and saved again.
    private func forEachState(_ room: StockRoom, _ body: (ModelContext, String) throws -> Void) throws {
        for state in ["inserted", "changed"] {
            if state == "changed" { room.change() }
            try body(room.context, "\(state) in a child")
            try room.context.save()
            try body(room.parent, state)
            try room.parent.save()
            try body(ModelContext(room.container), "\(state) and saved")
        }
    }

    // MARK: Completeness

    /// The list's entries, by expression.
    private static func list() throws -> [String: String] {
        let file = folder.appending(path: "Expressions.txt")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
        var list: [String: String] = [:]
        for (name, entry) in zip(lines, lines.dropFirst()) where entry.hasPrefix("    ") {
            list[name] = entry.trimmingCharacters(in: .whitespaces)
        }
        return list
    }

    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

    @Test func theListNamesEveryPublicExpression() throws {
        let listed = try Self.list().keys.filter { !$0.hasPrefix("function ") }
        let api = Self.folder.appending(path: "../../API").standardizedFileURL
        let owners = [
            "Column:", "Columns:", "Condition:", "RelatedColumns:", "CompositeColumns:", "ColumnOrder:",
            "ClosedRange: func", "Range: func", "Sequence:", "FullTextColumn:", "GroupedFetch:", "Projection:",
            "func abs", "func max<", "func min<",
        ]
        let declared = try ["Ashlar.txt", "AshlarCoreData.txt"].flatMap { name in
            try String(contentsOf: api.appending(path: name), encoding: .utf8).split(separator: "\n").map(String.init)
        }.filter { line in owners.contains { line.hasPrefix($0) } }
        #expect(Set(declared).subtracting(listed) == [], "not in Expressions.txt")
        #expect(Set(listed).subtracting(declared) == [], "in Expressions.txt, and no longer declared")
    }

    @Test func theListNamesQuestions() throws {
        let names = Set(Self.questions.map(\.name) + AggregateCase.all.map(\.name))
        #expect(names.count == Self.questions.count + AggregateCase.all.count, "two questions have one name")
        for (expression, entry) in try Self.list() where !entry.hasPrefix("except: ") {
            for name in entry.split(separator: "; ") {
                #expect(names.contains(String(name)), "\(expression)")
            }
        }
    }

    @Test func everyFunctionOfFormatStringsIsAsked() throws {
        let list = try Self.list()
        let formats = Self.questions.compactMap(\.format)
        for function in BuiltInFunction.allCases where list["function \(function.rawValue)"] == nil {
            #expect(formats.contains { $0.contains(function.rawValue + "(") }, "\(function.rawValue)")
        }
    }

    @Test func everyExpressionOfPredicatesIsAsked() throws {
        let folder = Self.folder.appending(path: "../../Sources/Runtime/Ashlar/Query/Foundation").standardizedFileURL
        let asked = Self.questions.compactMap(\.predicate).map { "\(type(of: $0.expression))" }.joined()
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: /extension PredicateExpressions\.(\w+): TranslatableExpression/) {
                let name = String(match.1)
                // Expressions that are refused, or have no form in the source of a predicate.
                let refused = [
                    "CollectionRangeSubscript", "SequenceMinimum", "SequenceMaximum", "ExpressionEvaluate",
                    "CollectionContainsCollection", "StringContainsRegex", "StringLocalizedCompare",
                ]
                #expect(refused.contains(name) || asked.contains(name), "PredicateExpressions.\(name)")
            }
        }
    }
}
