import Foundation
import Testing

@testable import Ashlar

/// The SQL of each construct, as the file `Golden/Queries.txt` has it, so that a change is seen in review.
///
/// `ASHLAR_UPDATE_GOLDEN=1 swift test --filter QueryTextTests` writes the file anew.
@Suite struct QueryTextTests {
    @Test func textIsAsCommitted() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Golden/Queries.txt")
        let text = try texts().joined(separator: "\n\n") + "\n"
        if ProcessInfo.processInfo.environment["ASHLAR_UPDATE_GOLDEN"] == "1" {
            try Data(text.utf8).write(to: file)
        }
        #expect(
            try String(contentsOf: file, encoding: .utf8) == text, "set ASHLAR_UPDATE_GOLDEN=1 and look at the diff")
    }

    private func texts() throws -> [String] {
        let numbers = (0..<600).map { Int64($0) }
        let weights = (0..<600).map { Optional(Double($0)) }
        let typed: [(String, FetchDescriptor<Sample>)] = [
            ("comparisons", Sample.where { $0.count > 1 && $0.title == nil && $0.title != "a" || !($0.weight < 2) }),
            ("columns", Sample.where { $0.title == $0.name && $0.count < $0.parent.count }),
            ("decimals", Sample.where { $0.price > 1 && $0.price + 1 == 2 && $0.price * 2 < $0.parent.price }),
            ("arithmetic", Sample.where { ($0.count + 1) * 2 > 3 - $0.count && $0.weight.rounded(.down) == 1 }),
            ("text", Sample.where { $0.name.hasPrefix("a") && $0.name.hasSuffix("b") && $0.name.contains("c") }),
            ("text with options", Sample.where { $0.name.contains("É", options: [.caseInsensitive]) }),
            (
                "like",
                Sample.where {
                    $0.name.isLike("a*") && $0.name.matches("[ab]+")
                        && $0.name.isEqual(to: "É", options: .localizedStandard)
                }
            ),
            ("lists", Sample.where { $0.count.isIn([1, 2]) && $0.title.isIn(["a", nil]) && $0.price.isIn([1]) }),
            ("long lists", Sample.where { $0.count.isIn(numbers) && $0.weight.isIn(weights) }),
            (
                "conditional",
                Sample.where { ($0.flag.isTrue).then($0.count, else: 0) > 1 && ($0.title ?? $0.name) == "a" }
            ),
            ("dates", Sample.where { $0.day.addingTimeInterval(1).timeIntervalSince($0.parent.day) == 1 }),
            ("paths", Sample.where { $0.parent.home.name == "a" && $0.parent.parent != nil && $0.parent == $0 }),
            ("any", Sample.where { $0.children.contains { $0.count == 1 } }),
            ("all", Sample.where { $0.children.allSatisfy { $0.count == 1 } && $0.children.isEmpty }),
            (
                "correlated",
                Sample.where { outer in
                    outer.children.contains { inner in
                        inner.parent.name == "a" && inner.children.contains { $0.count == outer.parent.count }
                    }
                }
            ),
            (
                "aggregates",
                Sample.where {
                    $0.children.count > 1 && $0.children.sum { $0.price } > 1 && $0.children.max { $0.price } == 1
                        && $0.parent.children.filter { $0.flag.isTrue }.count == 0
                }
            ),
            (
                "orders",
                Sample.order { $0.children.count.descending }.order { ($0.price * 2).ascending }.limit(3).offset(1)
            ),
        ]
        let page = Sample()
        let node: [(String, FetchDescriptor<Node>)] = [
            ("many to many", Node.where { $0.targets.contains { $0.name == "a" } && $0.sources.count == 1 }),
            ("its own inverse", Node.where { $0.friends.contains { $0.friends.count == 2 } && $0.spouse.name == "b" }),
            ("ordered", try FetchDescriptor<Node>(format: "ranking[FIRST].name == 'a' AND ranking[2].name == 'b'")),
        ]
        let others = [
            "one to one: " + (try text(Person.where { $0.passport == nil })),
            "entities: " + (try text(Vehicle.where { $0.is(Car.self) && $0.as(Car.self).doors > 3 })),
            "relationship of a hierarchy: " + (try text(Person.where { $0.vehicles.contains { $0.is(Truck.self) } })),
        ]
        let projections = try [
            "values: " + text(Sample.where { $0.flag.isTrue }.select { ($0.name, $0.parent.price, $0.count + 1) }),
            "distinct: " + text(Sample.select { $0.price }.distinct().order { $0.price.descending }.limit(3)),
            "groups: "
                + text(
                    Sample.where { $0.count > 1 }.group { ($0.day, $0.home.persistentModelID) }
                        .having { _ in .count > 2 }
                        .select {
                            ($0.day, .count, .count($0.title, distinct: true), .sum($0.price), .maximum($0.price))
                        }
                        .order { _ in .descending(.count) }.offset(1)),
            "aggregates of all: " + text(Sample.select { (.average($0.weight), .minimum($0.day)) }),
            "page: "
                + text(Sample.order { $0.count.ascending }.order { $0.title.descending }.page(after: page).limit(2)),
            "page of the descending: " + text(Sample.order { $0.count.descending }.page(after: page)),
        ]
        return try typed.map { "\($0.0): \(try text($0.1))" } + node.map { "\($0.0): \(try text($0.1))" } + others
            + projections
    }

    private func text<Model, Output>(_ projection: Projection<Model, Output>) throws -> String {
        try projection.shape.statement().text
    }

    private func text(_ descriptor: FetchDescriptor<some PersistentModel>) throws -> String {
        try descriptor.statement(selecting: "1", limit: descriptor.fetchLimit, offset: descriptor.fetchOffset).text
    }
}
