import AshlarCoreData
import AshlarSQLite
import Foundation
import RandomNumbers
import RandomSeeds
import Testing

@_spi(Generated) @testable import Ashlar

/// Conditions on numbers of every type: a literal gets the type of the value that it is compared with, in every
/// position.
@Suite struct NumberConditionTests {
    let context: ModelContext

    init() throws { context = ModelContext(try memoryContainer(TallyModel.self)) }

    private func measure(_ name: String, _ change: (Measure) -> Void) -> Measure {
        let measure = Measure(text: name)
        change(measure)
        context.insert(measure)
        return measure
    }

    /// The texts of the objects that a format finds, before and after a save.
    private func texts(_ format: String, _ arguments: (any PredicateArgument)?...) throws -> [String] {
        let condition = try Condition(for: Measure.self, format: format, arguments: arguments)
        return try texts(Measure.where { _ in condition })
    }

    private func texts(_ request: FetchDescriptor<Measure>) throws -> [String] {
        var request = request
        let found = try context.fetch(request).map(\.text).sorted()
        request.includePendingChanges = false
        try context.save()
        #expect(try context.fetch(request).map(\.text).sorted() == found, "as saved")
        for object in try context.fetch(Measure.all) { object.small += 1 }
        request.includePendingChanges = true
        #expect(try context.fetch(request).map(\.text).sorted() == found, "as changed")
        for object in try context.fetch(Measure.all) { object.small -= 1 }
        return found
    }

    @Test("row 112: literals in lists get the type of what they are compared with")
    func literalsInLists() throws {
        _ = measure("a") { $0.exact = Decimal(string: "0.07") ?? 0 }
        _ = measure("b") { $0.exact = Decimal(string: "12345678901234567890.12") ?? 0 }
        _ = measure("c") {
            $0.exact = 1
            $0.narrow = 0.1
            $0.medium = 7
        }
        #expect(try texts("exact IN {0.07}") == ["a"])
        #expect(try texts("exact IN {12345678901234567890.12, 5}") == ["b"])
        #expect(try texts("exact IN {7e-2, 1e0}") == ["a", "c"])
        #expect(try texts("exact == 7e-2") == ["a"])
        #expect(try texts("exact < 1e-400 OR exact > 1e300").isEmpty)
        #expect(try texts("exact IN {YES, 2}") == ["c"])
        #expect(try texts("exact + 0 IN {1}") == ["c"])
        #expect(try texts("narrow IN {0.1}") == ["c"])
        #expect(try texts("{0.1} CONTAINS narrow") == ["c"])
        #expect(try texts("ANY {0.1, 5} == narrow") == ["c"])
        #expect(try texts("narrow == %f", 0.1) == ["c"])
        #expect(try texts("medium IN {2, exact} OR 7 IN {exact, medium}") == ["c"])
        #expect(try texts("%@ IN {exact, medium}", Decimal(7)) == ["c"])
        #expect(try texts("CAST(12345678901234567890.12, 'NSDecimalNumber') == exact") == ["b"])
        #expect(try texts("exact == add:to:(exactOrNil, 12345678901234567890.12)").isEmpty)
    }

    @Test func aDeletionKeepsWhatAListNames() throws {
        _ = measure("keep") { $0.exact = Decimal(string: "12345678901234567890.12") ?? 0 }
        _ = measure("go") { $0.exact = 1 }
        try context.save()
        try context.batchDelete(FetchDescriptor<Measure>(format: "NOT (exact IN {12345678901234567890.12, 5})"))
        #expect(try context.fetch(Measure.all).map(\.text) == ["keep"])
    }

    @Test("row 112: a literal on the left of BETWEEN") func literalBeforeBetween() throws {
        _ = measure("a") {
            $0.medium = 3
            $0.exact = 1
        }
        _ = measure("b") {
            $0.medium = 3
            $0.exact = 3
        }
        #expect(try texts("2 BETWEEN {exact, medium}") == ["a"])
        #expect(try texts("2 BETWEEN {exact, wide}").isEmpty)
        #expect(try texts("3 BETWEEN {medium, exact}") == ["b"])
        #expect(try texts("%@ BETWEEN {exact, medium}", Decimal(2)) == ["a"])
        #expect(try texts("2 BETWEEN %@", Decimal(1)...Decimal(3)) == ["a", "b"])
    }

    @Test("row 22: numbers in templates") func templates() throws {
        let series = Series(name: "s")
        context.insert(series)
        let a = measure("10") {
            $0.exact = 2
            $0.medium = 3
        }
        let b = measure("10.0") {
            $0.exact = 100
            $0.narrow = 0.1
            $0.medium = 7
        }
        let c = measure("9") {
            $0.exact = 1
            $0.narrow = 16_777_216
            $0.medium = 2
        }
        for member in [a, b] { member.series = series }
        #expect(try texts(Measure.amongExact()) == ["10", "10.0", "9"])
        #expect(try texts(Measure.amongNarrow()) == ["10.0", "9"])
        #expect(try texts(Measure.amongColumns()) == ["10", "10.0"])
        #expect(try texts(Measure.betweenColumns()) == ["10", "9"])
        #expect(try texts(Measure.anyOfSeries()) == ["10", "10.0"])
        #expect(try texts(Measure.chosen()).isEmpty)
        c.text = "10"
        #expect(try texts(Measure.chosen()) == ["10"])
        #expect(try texts(Measure.givenAmong(first: 100, second: 7)) == ["10.0"])
    }

    @Test("a comparison of decimal numbers does not decide how texts are compared")
    func decimalsInConditionsOfTexts() throws {
        let series = Series(name: "s")
        context.insert(series)
        for text in ["10", "10.0", "9", "b", "%"] {
            let measure = measure(text) { $0.exact = 1 }
            measure.series = series
        }
        func chosen(_ measure: Columns<Measure>) -> Column<String> {
            (measure.series.measures.max { $0.exact } > 5).then("a", else: measure.text)
        }
        for isSaved in [false, true] {
            if isSaved { try context.save() }
            #expect(try context.fetch(Measure.where { chosen($0) == "10" }).map(\.text) == ["10"])
            #expect(try context.fetch(Measure.where { chosen($0) > "9" }).map(\.text) == ["b"])
            #expect(try context.fetch(Measure.where { chosen($0).isIn(["10"]) }).map(\.text) == ["10"])
            #expect(
                try context.fetch(Measure.order { chosen($0).ascending }).map(\.text) == ["%", "10", "10.0", "9", "b"])
            #expect(try context.fetch(Measure.all.select { chosen($0) }.distinct()).count == 5)
            #expect(try context.fetch(Measure.all.group { chosen($0) }.select { _ in .count }).count == 5)
            #expect(try context.fetch(Measure.where { chosen($0).lowercased() == "10" }).map(\.text) == ["10"])
            #expect(
                try context.fetchCount(FetchDescriptor<Measure>(format: "TERNARY(small == exact, 'a', text) != '10'"))
                    == 4)
            // The inner value keeps its order too: the bytes of a text would make 10 less than 9.
            let decimal = "TERNARY(TERNARY(small == exact, 'a', text) == '10', 10, exact) > 9"
            #expect(try context.fetch(FetchDescriptor<Measure>(format: decimal)).map(\.text) == ["10"])
        }
    }

    // MARK: Sums

    @Test("row 9: a derived sum beyond 64 bits is an error of the save") func derivedSums() throws {
        let series = Series(name: "s")
        context.insert(series)
        let first = measure("a") { $0.large = .max }
        let second = measure("b") { $0.large = .max }
        first.series = series
        try context.save()
        second.series = series
        #expect {
            try context.save()
        } throws: { error in
            guard case SaveError.derivedOverflow(["Series.total"], _) = error else { return false }
            return "\(error)".contains("Series.total")
        }
        second.series = nil
        try context.save()
        #expect {
            try context.batchUpdate(Measure.where { $0.text == "b" }) { $0.series = series }
        } throws: { error in
            guard case BatchError.derivedOverflow(["Series.total"]) = error else { return false }
            return true
        }
        let rows = [Measure.Values(large: 1, series: series.persistentModelID)]
        #expect(throws: BatchError.self) { try context.batchInsert(contentsOf: rows) }
        #expect(try context.fetchCount(Measure.all) == 2)
    }

    @Test("row 97: a selected sum beyond 64 bits is an error") func selectedSums() throws {
        for text in ["a", "b"] { _ = measure(text) { $0.large = .max } }
        for isSaved in [false, true] {
            if isSaved { try context.save() }
            #expect(throws: StoreError.self) { try context.fetch(Measure.all.select { .sum($0.large) }) }
            #expect(throws: StoreError.self) { try context.fetch(Measure.all.select { $0.large + 1 }) }
            #expect(try context.fetch(Measure.all.select { .maximum($0.large) }) == [.max])
            #expect(try context.fetch(Measure.all.select { .sum($0.medium) }) == [0])
        }
    }

    // MARK: Large conditions

    @Test("row 92: conditions of many terms") func manyTerms() throws {
        for number in 0..<5 { _ = measure("\(number)") { $0.large = Int64(number) } }
        func condition(_ columns: Columns<Measure>, _ join: (Condition, Condition) -> Condition) -> Condition {
            (0..<1200).map { columns.large + Int64($0) == 1202 }.reduce(columns.large == -1, join)
        }
        for isSaved in [false, true] {
            if isSaved { try context.save() }
            let found = try context.fetch(Measure.where { condition($0) { $0 || $1 } })
            #expect(found.map(\.text).sorted() == ["3", "4"])
            #expect(try context.fetchCount(Measure.where { !condition($0) { $0 || $1 } }) == 3)
            #expect(try context.fetchCount(Measure.where { condition($0) { $0 && $1 } }) == 0)
            let format = (0..<1200).map { "large + \($0) == 1202" }.joined(separator: " OR ")
            #expect(try context.fetchCount(FetchDescriptor<Measure>(format: format)) == 2)
        }
    }

    @Test("row 92: conditions that are denied again and again") func manyNegations() throws {
        _ = measure("a") { _ in }
        for count in [100_000, 100_001] {
            let request = Measure.where { columns in
                (0..<count).reduce(columns.text == "a") { condition, _ in !condition }
            }
            #expect(try context.fetchCount(request) == (count.isMultiple(of: 2) ? 1 : 0))
        }
    }

    @Test("row 92: conditions that are too deep are errors") func deepConditions() throws {
        _ = measure("a") { $0.large = 1 }
        for isSaved in [false, true] {
            if isSaved { try context.save() }
            let greatest = SQLExpression.greatestDepth
            for count in [15, greatest - 2, 100_000] {
                let nested = Measure.where { columns in
                    (0..<count).reduce(columns.text == "a") { condition, number in
                        number.isMultiple(of: 2) ? columns.large == 1 && condition : columns.large == 2 || condition
                    }
                }
                let sum = Measure.where { columns in (0..<count).reduce(columns.large) { sum, _ in sum + 1 } > 1 }
                let sums = Measure.where { columns in (0..<count).reduce(columns.large) { sum, _ in 1 - sum } < 5 }
                let steps = count < greatest ? count / 2 : count
                let denied = Measure.where { columns in
                    (0..<steps).reduce(columns.text == "a") { condition, number in
                        let small: Condition = columns.large < 9
                        return !(columns.large == Int64(number + 2) || !(small && condition))
                    }
                }
                for request in [nested, sum, sums, denied] {
                    if count == 15 {
                        #expect(try context.fetchCount(request) == 1)
                        #expect(try context.fetch(request).count == 1)
                    } else if count < greatest {
                        // The greatest depth of a statement differs between releases of SQLite. Either error says how
                        // to avoid it.
                        do {
                            #expect(try context.fetchCount(request) == 1)
                        } catch StoreError.sqlite(let error, _) {
                            #expect(error.description.contains("join terms by one operator"))
                        } catch is FetchError {
                        }
                    } else {
                        #expect(throws: FetchError.self) { try context.fetch(request) }
                    }
                }
            }
        }
    }

    @Test("row 111: chains of operators in formats") func chains() throws {
        _ = measure("a") { $0.large = 45 }
        let sum = Array(repeating: "1", count: 45).joined(separator: " + ")
        #expect(try texts("large == \(sum)") == ["a"])
        let long = Array(repeating: "1", count: 100_000).joined(separator: " + ")
        #expect {
            _ = try FetchDescriptor<Measure>(format: "large == \(long)")
        } throws: { error in
            guard case FetchError.invalidFormat(let format, "Measure", let problems) = error else { return false }
            return problems.map(\.code) == ["too-complex"] && format.count > 100_000 && "\(error)".count < 1000
        }
    }

    @Test("row 113: a match that cannot be found out is an error") func unfinishedMatches() throws {
        let text = String(repeating: "ab", count: 1_000_000) + "!"
        _ = measure(text) { _ in }
        try context.save()
        #expect(throws: (any Error).self) { try context.fetch(Measure.where { $0.text.matches("(a|b)*!") }) }
        #expect(try context.fetchCount(Measure.where { $0.text.matches("[ab]*!") }) == 1)
        #expect {
            _ = try RegularExpressions.matches(text, "(a|b)*!", [])
        } throws: { error in
            guard case ScalarFunctionError.unfinishedRegularExpression("(a|b)*!", length: 2_000_001) = error else {
                return false
            }
            return true
        }
    }

    // MARK: Random formats

    @Test("row 124: numbers mean in formats what they mean in Swift", arguments: seeds())
    func formatsMeanWhatSwiftDoes(_ seed: Seed) throws {
        var random = RandomNumberFormats(seed: seed.number)
        let measures = try fill(&random)
        for round in 0..<4 {
            if round % 2 == 1 { for _ in 0..<10 { random.change(random.pick(measures)) } }
            for _ in 0..<150 {
                let predicate = random.simple(depth: 2)
                let found = try context.fetch(FetchDescriptor<Measure>(format: predicate.format))
                let holds = try #require(predicate.holds)
                let comment = Testing.Comment(rawValue: "seed \(seed), round \(round): \(predicate.format)")
                #expect(Set(found) == Set(measures.filter(holds)), comment)
            }
            try context.save()
        }
    }

    @Test("rows 114, 125: typed conditions, literals and arguments mean the same", arguments: seeds())
    func typedConditionsMeanTheSame(_ seed: Seed) throws {
        var random = RandomNumberFormats(seed: seed.number)
        let measures = try fill(&random)
        for round in 0..<4 {
            if round % 2 == 1 { for _ in 0..<10 { random.change(random.pick(measures)) } }
            for _ in 0..<100 {
                let (condition, literal, given) = random.typed()
                let holds = try #require(literal.holds)
                let expected = Set(measures.filter(holds))
                let comment = Testing.Comment(rawValue: "seed \(seed), round \(round): \(literal.format)")
                let format = try Condition(for: Measure.self, format: given.format, arguments: given.arguments)
                #expect(try Set(context.fetch(Measure.where { _ in condition })) == expected, comment)
                #expect(try Set(context.fetch(Measure.where { _ in format })) == expected, comment)
                #expect(try Set(context.fetch(FetchDescriptor<Measure>(format: literal.format))) == expected, comment)
            }
            try context.save()
        }
    }

    @Test("row 124: nested formats of numbers agree", arguments: seeds())
    func nestedFormatsAgree(_ seed: Seed) throws {
        var random = RandomNumberFormats(seed: seed.number)
        let measures = try fill(&random)
        var accepted = 0
        for round in 0..<4 {
            if round % 2 == 1 { for _ in 0..<10 { random.change(random.pick(measures)) } }
            for _ in 0..<150 {
                let predicate = random.nested(depth: 2)
                guard
                    let condition = try? Condition(
                        for: Measure.self, format: predicate.format, arguments: predicate.arguments)
                else { continue }
                accepted += 1
                let expected = measures.filter { condition.expression.holds(for: $0) }
                let comment = Testing.Comment(
                    rawValue: "seed \(seed), round \(round): \(predicate.format) \(predicate.arguments)")
                let found = try context.fetch(Measure.where { _ in condition })
                #expect(Set(found) == Set(expected), comment)
                if found.count != expected.count { return }
            }
            try context.save()
        }
        #expect(accepted > 400)
    }

    private func fill(_ random: inout RandomNumberFormats) throws -> [Measure] {
        let series = (0..<4).map { Series(name: "\($0)") }
        for one in series { context.insert(one) }
        let measures = (0..<30).map { _ in Measure() }
        for measure in measures {
            context.insert(measure)
            random.change(measure)
            measure.series = random.random.oneIn(4) ? nil : random.pick(series)
        }
        try context.save()
        return measures
    }
}
