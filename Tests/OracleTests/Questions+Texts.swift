import Ashlar
import Foundation

extension Questions {
    mutating func addTexts() {
        add("prefix", format: "§name BEGINSWITH 'a'", predicate: #Predicate { $0.name.starts(with: "a") }) {
            $0.name.hasPrefix("a")
        } holds: {
            PlainText.has($0.object?.name, "a", .start)
        }
        add("empty prefix", format: "§note BEGINSWITH ''") {
            $0.note.hasPrefix("")
        } holds: {
            $0.object?.note != nil
        }
        add("prefix without case and marks", format: "§name BEGINSWITH[cd] 'cafÉ'") {
            $0.name.hasPrefix("cafÉ", options: [.caseInsensitive, .diacriticInsensitive])
        } holds: {
            PlainText.has($0.object?.name, "cafÉ", .start, [.c, .d])
        }
        add("prefix of a column", format: "§name BEGINSWITH §note") {
            $0.name.hasPrefix($0.note)
        } holds: {
            PlainText.has($0.object?.name, $0.object?.note, .start)
        }
        add("prefix of a column without case", format: "§name BEGINSWITH[c] §note") {
            $0.name.hasPrefix($0.note, options: .caseInsensitive)
        } holds: {
            PlainText.has($0.object?.name, $0.object?.note, .start, .c)
        }
        add("suffix", format: "§note ENDSWITH 'a'") {
            $0.note.hasSuffix("a")
        } holds: {
            PlainText.has($0.object?.note, "a", .end)
        }
        add("suffix without marks", format: "§note ENDSWITH[d] 'e'") {
            $0.note.hasSuffix("e", options: .diacriticInsensitive)
        } holds: {
            PlainText.has($0.object?.note, "e", .end, .d)
        }
        add("suffix of a column", format: "§note ENDSWITH §name") {
            $0.note.hasSuffix($0.name)
        } holds: {
            PlainText.has($0.object?.note, $0.object?.name, .end)
        }
        add("part", format: "§name CONTAINS %@", ["%b_"], predicate: #Predicate { $0.name.contains("%b_") }) {
            $0.name.contains("%b_")
        } holds: {
            PlainText.has($0.object?.name, "%b_", .middle)
        }
        add("part without case", format: "§note CONTAINS[c] 'SS'") {
            $0.note.contains("SS", options: .caseInsensitive)
        } holds: {
            PlainText.has($0.object?.note, "SS", .middle, .c)
        }
        add("part of a column", format: "§name CONTAINS §note") {
            $0.name.contains($0.note)
        } holds: {
            PlainText.has($0.object?.name, $0.object?.note, .middle)
        }
        add("in a text", format: "§note IN[c] §name") {
            $0.name.contains($0.note, options: .caseInsensitive)
        } holds: {
            PlainText.has($0.object?.name, $0.object?.note, .middle, .c)
        }
        add("search field", predicate: #Predicate { $0.name.localizedStandardContains("ab") }) {
            $0.name.localizedStandardContains("ab")
        } holds: {
            PlainText.has($0.object?.name, "ab", .middle, [.c, .d, .w])
        }
        add("equal without width") {
            $0.name.isEqual(to: "AB", options: .widthInsensitive)
        } holds: {
            PlainText.has($0.object?.name, "AB", .all, .w)
        }
        add("equal without case and marks", format: "§note ==[cd] 'strasse'") {
            $0.note.isEqual(to: "strasse", options: [.caseInsensitive, .diacriticInsensitive])
        } holds: {
            PlainText.has($0.object?.note, "strasse", .all, [.c, .d])
        }
        add("like", format: "§name LIKE %@", ["?%b_c\\*"]) {
            $0.name.isLike("?%b_c\\*")
        } holds: {
            PlainText.isLike($0.object?.name, "?%b_c\\*")
        }
        add("like without case", format: "§note LIKE[c] '*A'") {
            $0.note.isLike("*A", options: .caseInsensitive)
        } holds: {
            PlainText.isLike($0.object?.note, "*A", .c)
        }
        add("regular expression", format: "§name MATCHES '[a-z]*|.*🎉'") {
            $0.name.matches("[a-z]*|.*🎉")
        } holds: {
            PlainText.matches($0.object?.name, "[a-z]*|.*🎉")
        }
        add("empty text", format: "§note == ''") {
            $0.note.isEmpty
        } holds: {
            $0.object?.note == ""
        }
        add("text equals", format: "§name == 'Café'", predicate: #Predicate { $0.name == "Café" }) {
            $0.name == "Café"
        } holds: {
            Answer.of($0.object?.name) == "Café".answer
        }
        add("text differs", format: "§note != 'a'", predicate: #Predicate { $0.note != "a" }) {
            $0.note != "a"
        } holds: {
            Answer.of($0.object?.note) != "a".answer
        }
        add("texts in order", format: "§name < 'b'", predicate: #Predicate { $0.name < "b" }) {
            $0.name < "b"
        } holds: {
            Answer.less(Answer.of($0.object?.name), "b".answer)
        }
        add(
            "texts in order without case", format: "§name <=[c] 'CAFÉ'",
            holds: {
                guard let name = $0.object?.name else { return false }
                return !(Answer.less("café".answer, PlainText.folded(name, .c).answer))
            })
        add("longer than", format: "§name.length > 4", holds: { ($0.object?.name.utf16.count ?? 0) > 4 })
        add("length:", format: "length:(§note) == 1", holds: { $0.object?.note?.utf16.count == 1 })
        add(
            "uppercase:", format: "uppercase:(§name) == 'STRASSE'", holds: { $0.object?.name.uppercased() == "STRASSE" }
        )
        add("lowercase:", format: "lowercase:(§note) == 'a'", holds: { $0.object?.note?.lowercased() == "a" })
        add(
            "canonical:", format: "canonical:(§note) == 'cafe'",
            holds: {
                PlainText.has($0.object?.note, "cafe", .all, [.c, .d])
            })
        add("word", format: "§search MATCHES 'cafe'") {
            $0.search.matches("cafe")
        } holds: {
            let texts = [$0.object?.name, $0.object?.note]
            return texts.contains { PlainText.has($0, "cafe", .all, [.c, .d]) }
        }
        add("beginning of a word") {
            $0.search.matches(FullTextQuery.prefix("stra"))
        } holds: {
            [$0.object?.name, $0.object?.note].contains { PlainText.has($0, "stra", .start, .c) }
        }
        add(value: "name") {
            $0.name
        } answer: {
            $0.object?.name
        }
        add(value: "note") {
            $0.note
        } answer: {
            $0.object?.note
        }
        add(value: "lower case") {
            $0.name.lowercased()
        } answer: {
            $0.object?.name.lowercased()
        }
        add(value: "upper case") {
            $0.note.uppercased()
        } answer: {
            $0.object?.note?.uppercased()
        }
        add(value: "folded") {
            $0.note.folding(.localizedStandard)
        } answer: {
            $0.object?.note.map { PlainText.folded($0, [.c, .d, .w]) }
        }
        add(value: "count of characters") {
            $0.name.count
        } answer: {
            $0.object?.name.count
        }
        add(value: "count of optional characters") {
            $0.note.count
        } answer: {
            $0.object?.note?.count
        }
        add(value: "note or text") {
            $0.note ?? "none"
        } answer: {
            $0.object == nil ? "none" : $0.object?.note ?? "none"
        }
        add(value: "note or name") {
            $0.note ?? $0.name
        } answer: {
            $0.object?.note ?? $0.object?.name
        }
    }
}
