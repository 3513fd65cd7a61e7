import Ashlar
import Foundation

extension Questions {
    mutating func addPredicates() {
        let range = -5..<100 as Range<Int32>
        let closed = -5...100 as ClosedRange<Int32>
        let widths: [Int32] = [5, -5]
        let names = [Kind.raw: "Raw", .sold: "Sold"]
        add(
            "predicate: range", predicate: #Predicate { range.contains($0.width) },
            holds: {
                $0.object.map { range.contains($0.width) } ?? false
            })
        add(
            "predicate: closed range", predicate: #Predicate { closed.contains($0.width) },
            holds: {
                $0.object.map { closed.contains($0.width) } ?? false
            })
        add("predicate: ranges", predicate: #Predicate { (0...7).contains($0.width) || (90..<200).contains($0.width) })
        {
            $0.object.map { (0...7).contains($0.width) || (90..<200).contains($0.width) } ?? false
        }
        add(
            "predicate: list", predicate: #Predicate { widths.contains($0.width) },
            holds: {
                $0.object.map { widths.contains($0.width) } ?? false
            })
        add(
            "predicate: list and closure", predicate: #Predicate { thing in widths.contains { $0 > thing.width } },
            holds: {
                subject in
                subject.object.map { object in widths.contains { $0 > object.width } } ?? false
            })
        add(
            "predicate: all of a list", predicate: #Predicate { thing in widths.allSatisfy { $0 < thing.width } },
            holds: {
                subject in
                subject.object.map { object in widths.allSatisfy { $0 < object.width } } ?? false
            })
        add(
            "predicate: filter", predicate: #Predicate { $0.parts.filter { $0.flag }.count > 1 },
            holds: {
                ($0.parts?.count { $0.flag } ?? 0) > 1
            })
        add(
            "predicate: index", predicate: #Predicate { $0.parts[0].width > 0 },
            holds: {
                $0.parts?.first.map { $0.width > 0 } ?? false
            })
        add(
            "predicate: first", predicate: #Predicate { $0.parts.first?.flag == true },
            holds: {
                $0.parts?.first?.flag == true
            })
        add(
            "predicate: dictionary", predicate: #Predicate { names[$0.kind] == "Sold" },
            holds: { $0.object?.kind == .sold })
        add("predicate: dictionary with default", predicate: #Predicate { names[$0.kind, default: "Ready"] == "Ready" })
        { $0.object?.kind == .ready }
        add(
            "predicate: cast", predicate: #Predicate { ($0 as? Tool)?.power == 5 }, holds: { $0.object?.isTool == true }
        )
        add(
            "predicate: forced cast", predicate: #Predicate { $0 is Tool && ($0 as! Tool).power == 5 },
            holds: {
                $0.object?.isTool == true
            })
        add(
            "predicate: all parts behind a cast",
            predicate: #Predicate { ($0 as? Tool)?.parts.allSatisfy { $0.flag } == true },
            holds: {
                $0.object.map { $0.isTool && $0.parts.allSatisfy { $0.flag } } ?? false
            })
        add(
            "predicate: arithmetic", predicate: #Predicate { $0.width * 2 + 1 > 10 },
            holds: {
                $0.object.map { $0.width * 2 + 1 > 10 } ?? false
            })
        add(
            "predicate: quotient", predicate: #Predicate { $0.width / 2 == 2 },
            holds: {
                $0.object.map { $0.width / 2 == 2 } ?? false
            })
        add(
            "predicate: quotient of numbers", predicate: #Predicate { $0.weight / 2 > 1 },
            holds: {
                $0.object.map { $0.weight / 2 > 1 } ?? false
            })
        add(
            "predicate: remainder", predicate: #Predicate { $0.width % 3 == 2 },
            holds: {
                $0.object.map { $0.width % 3 == 2 } ?? false
            })
        add(
            "predicate: minus", predicate: #Predicate { -$0.width > 0 },
            holds: { $0.object.map { -$0.width > 0 } ?? false })
        add(
            "predicate: both, either and not", predicate: #Predicate { !($0.flag && $0.width > 0) || $0.count < 0 },
            holds: {
                $0.object.map { !($0.flag && $0.width > 0) || $0.count < 0 } ?? true
            })
        add(
            "predicate: conditional", predicate: #Predicate { ($0.flag ? $0.width : 1) > 0 },
            holds: {
                ($0.object.map { $0.flag ? $0.width : 1 } ?? 1) > 0
            })
        add(
            "predicate: value for nil", predicate: #Predicate { ($0.small ?? 9) > 3 },
            holds: { ($0.object?.small ?? 9) > 3 })
        add(
            "predicate: unwrapped", predicate: #Predicate { $0.small != nil && $0.small! > 0 },
            holds: {
                $0.object?.small.map { $0 > 0 } ?? false
            })
        add(
            "predicate: flat map", predicate: #Predicate { $0.owner?.name == "a" },
            holds: { $0.object?.owner?.name == "a" })
        add("predicate: if let", predicate: #Predicate { if let note = $0.note { note.contains("a") } else { false } })
        { PlainText.has($0.object?.note, "a", .middle) }
        add(
            "predicate: nothing", predicate: #Predicate { $0.note != nil && $0.due == nil },
            holds: {
                $0.object?.note != nil && $0.object?.due == nil
            })
        let compared = ComparisonResult.orderedSame.rawValue
        add(
            "predicate: without case",
            predicate: #Predicate { $0.name.caseInsensitiveCompare("A").rawValue == compared },
            holds: {
                PlainText.has($0.object?.name, "A", .all, .c)
            })
    }
}
