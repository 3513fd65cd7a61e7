import AshlarCoreData
import Foundation
import Testing

@_spi(Generated) @testable import Ashlar

/// Conditions in the language of `NSPredicate`, with arguments and variables.
@Suite struct FormatTests {
    let context: ModelContext

    init() throws { context = try memoryContext() }

    private func names(_ format: String, _ arguments: (any PredicateArgument)?...) throws -> [String] {
        let condition = try Condition(for: Sample.self, format: format, arguments: arguments)
        return try names(condition)
    }

    private func names(_ condition: Condition) throws -> [String] {
        let descriptor = Sample.where { _ in condition }.order { $0.name.ascending }
        let found = try context.fetch(descriptor).map(\.name)
        let all = try context.fetch(Sample.order { $0.name.ascending })
        #expect(all.filter { condition.expression.holds(for: $0) }.map(\.name) == found, "\(condition.expression)")
        return found
    }

    private func fill() throws {
        let home = Label(name: "Café")
        let a = Sample(count: 1, name: "a", title: "Apple", home: home)
        let b = Sample(count: 2, name: "b", price: 1.5, title: "apfel", weight: 0.5, parent: a)
        let c = Sample(
            count: 3, day: Date(timeIntervalSinceReferenceDate: 5), flag: true, name: "c", weight: 2, parent: a)
        let d = Sample(count: 4, name: "d", price: 10, small: 4, title: "100%_\\", home: home, parent: b)
        for sample in [a, b, c, d] { context.insert(sample) }
        try context.save()
    }

    @Test("rows 111, 117: comparisons and arguments") func comparisonsAndArguments() throws {
        try fill()
        #expect(try names("count > %d", 2) == ["c", "d"])
        #expect(try names("count BETWEEN {2, 3}") == ["b", "c"])
        #expect(try names("count BETWEEN %@", 2...3) == ["b", "c"])
        #expect(try names("count IN %@", [1, 4, 9]) == ["a", "d"])
        #expect(try names("name IN {'a', 'd'}") == ["a", "d"])
        #expect(try names("%K == %@", "name", "b") == ["b"])
        #expect(try names("%K == %@", "parent.name", "b") == ["d"])
        #expect(try names("title == nil") == ["c"])
        #expect(try names("title == %@", nil) == ["c"])
        #expect(try names("title != 'Apple'") == ["b", "c", "d"])
        #expect(try names("NOT (weight < 1)") == ["a", "c", "d"])
        #expect(try names("flag == YES OR small = 4") == ["c", "d"])
        #expect(try names("price > %@", Decimal(2)) == ["d"])
        #expect(try names("price > 1.49 AND price < %f", 9.5) == ["b"])
        #expect(try names("price * 2 == 3") == ["b"])
        #expect(try names("day == CAST(5, 'NSDate')") == ["c"])
        #expect(try names("day <= %@", Date(timeIntervalSinceReferenceDate: 5)) == ["c"])
        #expect(try names("day < now()") == ["c"])
        #expect(try names("TRUEPREDICATE") == ["a", "b", "c", "d"])
        #expect(try names("FALSEPREDICATE").isEmpty)
        #expect(try names("TERNARY(flag == YES, count, 0) == 3") == ["c"])
        #expect(try names("count ** 2 == 9 OR modulus:by:(count, 4) == 0") == ["c", "d"])
        #expect(try names("-count < -3") == ["d"])
        #expect(try names("length:(title) == 5 AND title.length == 5") == ["a", "b"])
        #expect(try names("count + parent.count == 3") == ["b"])
    }

    @Test("rows 112, 113: texts") func texts() throws {
        try fill()
        #expect(try names("title BEGINSWITH 'ap'") == ["b"])
        #expect(try names("title BEGINSWITH[c] 'AP'") == ["a", "b"])
        #expect(try names("title ENDSWITH[c] 'LE'") == ["a"])
        #expect(try names("home.name CONTAINS[cd] 'CAFE'") == ["a", "d"])
        #expect(try names("home.name ==[cd] %@", "cafe") == ["a", "d"])
        #expect(try names("home.name ==[d] %@", "cafe").isEmpty)
        #expect(try names("title LIKE 'Ap*e'") == ["a"])
        #expect(try names("title LIKE[c] 'ap?e?'") == ["b"])
        #expect(try names("title MATCHES 'A.*|a.*'") == ["a", "b"])
        #expect(try names("title MATCHES 'p'").isEmpty)
        #expect(try names("title CONTAINS %@", "%_\\") == ["d"])
        #expect(try names("title LIKE %@", "100%_\\\\") == ["d"])
        #expect(try names("uppercase:(title) == 'APPLE'") == ["a"])
        #expect(try names("canonical:(home.name) == 'cafe'") == ["a", "d"])
        #expect(try names("name IN 'abacus'") == ["a", "b", "c"])
        #expect(try names("title <[cl] 'apq'") == ["a", "b", "d"])
        // A text that looks like SQL or like the language is an ordinary value.
        for text in ["' OR 1 = 1 --", "\" OR TRUEPREDICATE", "'; DROP TABLE Sample; --", "?1", "%@", "$x", "\0"] {
            for operation in ["==", "BEGINSWITH[cd]", "ENDSWITH", "CONTAINS", "LIKE", "CONTAINS[c]"] {
                #expect(try names("title \(operation) %@", text).isEmpty)
            }
        }
    }

    @Test("row 115: relationships") func relationships() throws {
        try fill()
        let a = try #require(try context.fetch(Sample.where { $0.name == "a" }).first)
        #expect(try names("parent == %@", a) == ["b", "c"])
        #expect(try names("parent == %@", a.persistentModelID) == ["b", "c"])
        #expect(try names("SELF == %@", a) == ["a"])
        #expect(try names("parent IN %@", [a]) == ["b", "c"])
        #expect(try names("parent.parent.name == 'a'") == ["d"])
        #expect(try names("ANY children.name == 'c'") == ["a"])
        #expect(try names("ALL children.count > 2") == ["b", "c", "d"])
        #expect(try names("NONE children.flag == YES") == ["b", "c", "d"])
        #expect(try names("children.@count == 2") == ["a"])
        #expect(try names("children.@sum.count == 5 OR children.count.@sum == 4") == ["a", "b"])
        #expect(try names("children.@avg.count > 2") == ["a", "b"])
        #expect(try names("children.@max.price == 10") == ["b"])
        #expect(try names("SUBQUERY(children, $c, $c.count > 2 AND $c.flag == YES).@count > 0") == ["a"])
        #expect(try names("SUBQUERY(children, $c, $c.count == count + 1).@count == 1") == ["a"])
        #expect(try names("ANY SUBQUERY(children, $c, ANY $c.children.name == 'd').name == 'b'") == ["a"])
        #expect(try names("'c' IN children.name") == ["a"])
        #expect(try names("children CONTAINS %@", a).isEmpty)
        #expect(try names("ANY children.children.name == 'd'") == ["a"])
        let condition = try Condition(
            for: Sample.self, format: "parent == $parent AND count >= $least AND name IN $names",
            variables: ["parent": a, "least": 2, "names": ["b", "x"]])
        #expect(try names(condition) == ["b"])
        let own = try Condition(for: Sample.self, format: "count > $other.count", variables: ["other": a])
        #expect(try names(own) == ["b", "c", "d"])
        // Unsaved changes are included.
        a.flag = true
        let e = Sample(count: 9, name: "e", parent: a)
        context.insert(e)
        #expect(try names("ANY children.count == 9") == ["a"])
        #expect(try names("parent.flag == YES") == ["b", "c", "e"])
    }

    @Test func mistakes() throws {
        func problem(
            _ format: String, _ arguments: (any PredicateArgument)?..., variables: [String: any PredicateArgument] = [:]
        ) -> String {
            do throws(FetchError) {
                _ = try Condition(for: Sample.self, format: format, arguments: arguments, variables: variables)
                return "none"
            } catch {
                guard case .invalidFormat(format, entity: "Sample", let problems) = error else { return "\(error)" }
                return "\(problems[0].range.lowerBound): \(problems[0].message)"
            }
        }
        #expect(problem("titel == 'a'") == "0: Sample has no property 'titel'")
        #expect(problem("title == 3") == "9: 'title' is a string, but '3' is an integer")
        #expect(problem("title ==").hasPrefix("8: "))
        #expect(problem("count > %d") == "0: there are 1 placeholders, but 0 arguments")
        #expect(problem("count > 1", 1) == "0: there are 0 placeholders, but 1 arguments")
        #expect(problem("count > %@", "a") == "8: argument 1 is string, but integer64 is needed here")
        #expect(problem("parent == %@", Label(name: "")).contains("an object of Label"))
        #expect(problem("count > $x") == "8: '$x' has no value")
        #expect(problem("count > $x", variables: ["x": "a"]).contains("a string"))
        #expect(problem("children.name == 'a'").contains("many values"))
        #expect(problem("title MATCHES '('").contains("is not a regular expression"))
        #expect(problem("random() < 1").contains("cannot compute"))
        #expect(problem("count IN %@", 1).contains("many values"))
        #expect(throws: FetchError.self) { try FetchDescriptor<Sample>(format: "nonsense") }
        context.insert(Sample(title: "a"))
        try context.save()
        #expect(throws: (any Error).self) { try context.fetch(Sample.where { $0.title.matches("(") }) }
        context.insert(Sample(title: "a"))
        #expect(throws: (any Error).self) { try context.fetch(Sample.where { $0.title.matches("(") }) }
    }

    @Test func composites() throws {
        context.insert(
            Sample(name: "a", place: PostalAddress(street: "High Street"), spot: Coordinate(latitude: 2)))
        context.insert(Sample(name: "b", spot: Coordinate(latitude: 1)))
        for _ in 0..<2 {
            #expect(try names("place == nil") == ["b"])
            #expect(try names("spot.latitude > 1 AND spot != nil") == ["a"])
            #expect(try names("place.street BEGINSWITH[c] 'high' AND place.position == nil") == ["a"])
            #expect(try names(try #require(Sample.inStreet(street: "High Street").condition)) == ["a"])
            try context.save()
        }
        #expect(throws: FetchError.self) { try names("place.streat == 'a'") }
    }

    @Test func descriptors() throws {
        try fill()
        let descriptor = try FetchDescriptor<Sample>(format: "count > %d", 1).where(format: "flag == NO")
        #expect(try context.fetchCount(descriptor) == 2)
        #expect(try context.fetchCount(descriptor.where { $0.name == "b" }) == 1)
    }
}
