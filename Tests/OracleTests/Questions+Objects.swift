import Ashlar
import Foundation

extension Questions {
    mutating func addObjects() {
        addIdentity("is an object") {
            $0 == $1.thing(1)
        } holds: {
            $0.object?.number == 1
        }
        addIdentity("is not an object") {
            $0 != $1.thing(1)
        } holds: {
            $0.object?.number != 1
        }
        addIdentity("is of identifiers") { thing, objects in
            thing.isIn([1, 5].compactMap { objects.thing($0)?.persistentModelID })
        } holds: {
            [1, 5].contains($0.object?.number)
        }
        addIdentity("identifier") {
            $0.persistentModelID == $1.thing(2)?.persistentModelID
        } holds: {
            $0.object?.number == 2
        }
        addIdentity("has a part") { thing, objects in
            objects.thing(0).map { first in thing.owner.parts.contains { $0 == first } } ?? !thing.isAny
        } holds: {
            $0.siblings?.contains { $0.number == 0 } ?? false
        }
        addIdentity("contains an object") { thing, objects in
            objects.thing(2).map { thing.parts.contains($0) } ?? !thing.isAny
        } holds: {
            $0.parts?.contains { $0.number == 2 } ?? false
        }
        add("is another") {
            $0 != $0.owner
        } holds: {
            $0.object !== $0.object?.owner
        }
        add("owns itself") {
            $0.owner == $0
        } holds: {
            $0.object?.owner === $0.object
        }
        add("has no owner", format: "§owner == nil", predicate: #Predicate { $0.owner == nil }) {
            $0.owner == nil
        } holds: {
            $0.object?.owner == nil
        }
        add("has an owner", format: "§owner != nil") {
            $0.owner != nil
        } holds: {
            $0.object?.owner != nil
        }
        add("is a tool", predicate: #Predicate { $0 is Tool }) {
            $0.is(Tool.self)
        } holds: {
            $0.object?.isTool == true
        }
        add("owner is a tool", format: "CAST(§owner, 'Tool') != nil") {
            $0.owner.is(Tool.self)
        } holds: {
            $0.object?.owner?.isTool == true
        }
        add("power of a tool") {
            $0.as(Tool.self).power == 5
        } holds: {
            $0.object?.isTool == true
        }
        add("owner's name", format: "§owner.name BEGINSWITH 'C'") {
            $0.owner.name.hasPrefix("C")
        } holds: {
            PlainText.has($0.object?.owner?.name, "C", .start)
        }
        addMembers()
        addAggregates()
    }

    private mutating func addMembers() {
        add("has no parts", format: "§parts.@count == 0", predicate: #Predicate { $0.parts.isEmpty }) {
            $0.parts.isEmpty
        } holds: {
            $0.parts?.isEmpty ?? false
        }
        add("has parts", format: "NOT §parts.@count == 0") {
            !$0.parts.isEmpty
        } holds: {
            !($0.parts?.isEmpty ?? false)
        }
        add(
            "a part is flagged", format: "ANY §parts.flag == YES",
            predicate: #Predicate { $0.parts.contains { $0.flag } }
        ) {
            $0.parts.contains { $0.flag }
        } holds: {
            $0.parts?.contains { $0.flag } ?? false
        }
        add("a part is wide", format: "ANY §parts.width > 0") {
            $0.parts.contains { $0.width > 0 }
        } holds: {
            $0.parts?.contains { $0.width > 0 } ?? false
        }
        add(
            "all parts are flagged", format: "ALL §parts.flag == YES",
            predicate: #Predicate { $0.parts.allSatisfy { $0.flag } }
        ) {
            $0.parts.allSatisfy { $0.flag }
        } holds: {
            $0.parts?.allSatisfy { $0.flag } ?? false
        }
        add("all parts are wide", format: "ALL §parts.width > 0") {
            $0.parts.allSatisfy { $0.width > 0 }
        } holds: {
            $0.parts?.allSatisfy { $0.width > 0 } ?? false
        }
        add("not all parts are wide", format: "NOT ALL §parts.width > 0") {
            !$0.parts.allSatisfy { $0.width > 0 }
        } holds: {
            !($0.parts?.allSatisfy { $0.width > 0 } ?? false)
        }
        add("no part is wide", format: "NONE §parts.width > 0") {
            !$0.parts.contains { $0.width > 0 }
        } holds: {
            !($0.parts?.contains { $0.width > 0 } ?? false)
        }
        add("all parts have one of", format: "ALL §parts.width IN {0, 5}") {
            $0.parts.allSatisfy { $0.width.isIn([0, 5]) }
        } holds: {
            $0.parts?.allSatisfy { [0, 5].contains($0.width) } ?? false
        }
        add("all labels of all parts", format: "ALL §parts.labels.name == 'red'") {
            $0.parts.allSatisfy { $0.labels.allSatisfy { $0.name == "red" } }
        } holds: {
            $0.parts?.allSatisfy { $0.labels.allSatisfy { $0 == "red" } } ?? false
        }
        add("a label of a part", format: "ANY §parts.labels.name == 'red'") {
            $0.parts.contains { $0.labels.contains { $0.name == "red" } }
        } holds: {
            $0.parts?.contains { $0.labels.contains("red") } ?? false
        }
        add("labels", format: "ANY §labels.name == 'red'") {
            $0.labels.contains { $0.name == "red" }
        } holds: {
            $0.labels?.contains("red") ?? false
        }
        add("a name among labels", format: "'blue' IN §labels.name", holds: { $0.labels?.contains("blue") ?? false })
        add("filtered", format: "SUBQUERY(§parts, $x, $x.flag == YES).@count == 0") {
            $0.parts.filter { $0.flag }.isEmpty
        } holds: {
            $0.parts.map { !$0.contains { $0.flag } } ?? false
        }
        add("filtered twice") {
            $0.parts.filter { $0.width > 0 }.filter { $0.width < 100 }.count > 0
        } holds: {
            $0.parts?.contains { (1..<100).contains($0.width) } ?? false
        }
        add("among those of the owner") {
            $0.owner.parts.contains($0)
        } holds: {
            $0.object?.owner != nil
        }
        add("outer object") { outer in
            outer.parts.contains { $0.width < outer.width }
        } holds: { subject in
            subject.parts?.contains { part in subject.object.map { part.width < $0.width } ?? false } ?? false
        }
        add("first part", format: "§parts[FIRST].width > 0", holds: { $0.parts?.first.map { $0.width > 0 } ?? false })
        add("last part", format: "§parts[LAST].width > 0", holds: { $0.parts?.last.map { $0.width > 0 } ?? false })
        add(
            "second part", format: "§parts[1].width > 0",
            holds: { $0.parts?.dropFirst().first.map { $0.width > 0 } ?? false })
    }

    private mutating func addAggregates() {
        add("sum of parts", format: "§parts.@sum.width > 5") {
            $0.parts.sum { $0.width } > 5
        } holds: {
            ($0.parts?.reduce(0) { $0 + $1.width } ?? 0) > 5
        }
        add("least of parts", format: "§parts.@min.width < 5") {
            $0.parts.min { $0.width } < 5
        } holds: {
            $0.parts?.map(\.width).min().map { $0 < 5 } ?? false
        }
        add("mean of parts", format: "§parts.@avg.width > 5") {
            $0.parts.average { $0.width } > 5
        } holds: {
            $0.parts.flatMap(Self.mean).map { $0 > 5 } ?? false
        }
        add("greatest of parts", format: "§parts.@max.small > 0") {
            $0.parts.max { $0.small } > 0
        } holds: {
            $0.parts?.compactMap(\.small).max().map { $0 > 0 } ?? false
        }
        add(value: "count of parts") {
            $0.parts.count
        } answer: {
            $0.parts?.count
        }
        add(value: "count of flagged parts") {
            $0.parts.count { $0.flag }
        } answer: {
            $0.parts?.count { $0.flag }
        }
        add(value: "count of wide parts") {
            $0.parts.count { $0.width > 0 }
        } answer: {
            $0.parts?.count { $0.width > 0 }
        }
        add(value: "filtered count") {
            $0.parts.filter { $0.note != nil }.count
        } answer: {
            $0.parts?.count { $0.note != nil }
        }
        add(value: "sum of small parts") {
            $0.parts.sum { $0.small }
        } answer: {
            $0.parts?.reduce(Int64(0)) { $0 + Int64($1.small ?? 0) }
        }
        add(value: "sum of prices") {
            $0.parts.sum { $0.price }
        } answer: {
            $0.parts?.reduce(Decimal()) { $0 + $1.price }
        }
        add(value: "mean of widths") {
            $0.parts.average { $0.width }
        } answer: {
            $0.parts.flatMap(Self.mean)
        }
        add(value: "least price") {
            $0.parts.min { $0.price }
        } answer: {
            $0.parts?.map(\.price).min()
        }
        add(value: "greatest note") {
            $0.parts.max { $0.note }
        } answer: {
            $0.parts?.compactMap { $0.note?.answer }.max()
        }
        add(value: "count of labels") {
            $0.labels.count
        } answer: {
            $0.labels?.count
        }
        add(value: "owner's cost") {
            $0.owner.cost
        } answer: {
            $0.object?.owner?.cost
        }
        add(value: "count of the owner's parts") {
            $0.owner.parts.count
        } answer: {
            $0.siblings?.count
        }
    }

    private static func mean(_ parts: [Plain]) -> Double? {
        parts.isEmpty ? nil : Double(parts.reduce(0) { $0 + Int($1.width) }) / Double(parts.count)
    }
}

extension Columns<Thing> {
    /// A condition that always holds.
    fileprivate var isAny: Condition { number == number }
}

extension Answer: Answerable { var answer: Answer { self } }
