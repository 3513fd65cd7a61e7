import Foundation

/// The changes that programs reported as saved, and the check that the final stores have them.
struct Ledger {
    /// The certainty about a change. It may have been saved if the program was killed before it reported so.
    enum Certainty { case saved, unknown }

    private struct Inserted {
        var kind: String
        var parents: Set<String>
        var certainty: Certainty
    }

    private var inserted: [String: Inserted] = [:]
    private var deleted: [String: Certainty] = [:]
    private var sums: [String: (saved: Int64, unknown: Int64)] = [:]
    private var attempts: [Int: [[String]]] = [:]
    private(set) var operations = 0

    /// Reads a line that a program printed.
    mutating func read(_ line: String, from peer: Int) {
        let words = line.split(separator: " ").map(String.init)
        switch words.first {
        case "try": attempts[peer, default: []].append(Array(words.dropFirst()))
        case "saved": count(peer, .saved)
        case "refused": attempts[peer] = nil
        default: break
        }
    }

    /// Records that a program was killed. Its open changes were saved, or not.
    mutating func lose(_ peer: Int) { count(peer, .unknown) }

    private mutating func count(_ peer: Int, _ certainty: Certainty) {
        for words in attempts.removeValue(forKey: peer) ?? [] {
            operations += 1
            let tag = words[words[0] == "insert" ? 2 : 1]
            switch words[0] {
            case "insert":
                inserted[tag] = Inserted(kind: words[1], parents: Set(words.dropFirst(3)), certainty: certainty)
            case "parent": inserted[tag]?.parents.insert(words[2])
            case "delete": deleted[tag] = deleted[tag] == .saved ? .saved : certainty
            case "add":
                var sum = sums["\(tag) \(words[2])"] ?? (0, 0)
                let number = Int64(words[3]) ?? 0
                if certainty == .saved { sum.saved += number } else { sum.unknown += number }
                sums["\(tag) \(words[2])"] = sum
            default: break
            }
        }
    }

    /// Returns the differences between the final stores and the reported changes.
    ///
    /// - Parameters:
    ///   - objects: The objects of the stores in the end, by tag: the entity and the counters.
    ///   - events: The texts of all events of all stores.
    func problems(_ objects: [String: (kind: String, values: [String: Int64])], events: [String]) -> [String] {
        var problems: [String] = []
        let told = Set(events.flatMap { Self.tags(in: $0) })
        for (tag, object) in objects where inserted[tag]?.kind != object.kind {
            problems.append("\(object.kind) \(tag) was never inserted")
        }
        for (tag, object) in inserted where object.certainty == .saved && objects[tag] == nil {
            let mayBeGone =
                deleted[tag] != nil || told.contains(tag)
                // A deleted parent removed it, even if the parent came back because another store changed it.
                || object.parents.contains { parent in objects[parent] == nil || deleted[parent] != nil }
            if !mayBeGone { problems.append("\(object.kind) \(tag) was saved, and is gone without a word") }
        }
        for (tag, certainty) in deleted where certainty == .saved && objects[tag] != nil {
            // People come back if another store changed them.
            if objects[tag]?.kind == "Person" || told.contains(tag) { continue }
            problems.append("\(tag) was deleted, and is there without a word")
        }
        for (tag, object) in objects where deleted[tag] == nil && !told.contains(tag) {
            for (name, value) in object.values where name != "score" {
                let sum = sums["\(tag) \(name)"] ?? (0, 0)
                if value < sum.saved || value > sum.saved + sum.unknown {
                    problems.append(
                        "\(tag).\(name) is \(value), and \(sum.saved) were added, and perhaps \(sum.unknown)")
                }
            }
        }
        return problems.sorted()
    }

    /// The tags that a text names: `peer2.1.35`, say.
    private static func tags(in text: String) -> [String] {
        text.split { !$0.isASCII || !($0.isLetter || $0.isNumber || $0 == ".") }.map(String.init)
            .filter { $0.hasPrefix("peer") }
    }
}
