import DataModel

/// Full-text indexes are declared in `userInfo`. Xcode does not support them, and keeps entries of entities and
/// attributes only.
extension ContentsReader {
    /// Makes full-text indexes from the entries of an entity and of its attributes.
    mutating func readFullText(into entity: inout Entity) {
        readMarkedAttributes(of: &entity)
        for entry in entity.userInfo.entries {
            guard let key = FullTextKey(entry.key) else { continue }
            read(entry, key, into: &entity)
        }
    }

    /// The attributes with `ashlar.index` of an entity make one index.
    private mutating func readMarkedAttributes(of entity: inout Entity) {
        var elements: [FetchIndex.Element] = []
        for attribute in entity.attributes {
            guard let entry = attribute.userInfo.entry(UserInfo.indexKey) else { continue }
            if entry.value == FetchIndex.Kind.fullText.rawValue {
                elements.append(FetchIndex.Element(propertyName: attribute.name, location: entry.location))
            } else {
                report(kindOf: entry, "Attribute '\(entity.name).\(attribute.name)'")
            }
        }
        guard let first = elements.first else { return }
        entity.indexes.append(
            FetchIndex(name: FetchIndex.fullTextName, kind: .fullText, elements: elements, location: first.location))
    }

    private mutating func read(_ entry: UserInfo.Entry, _ key: FullTextKey, into entity: inout Entity) {
        let title = "Index '\(key.index)' of '\(entity.name)'"
        guard let position = entity.indexes.firstIndex(where: { $0.name == key.index }) else {
            let similar = Spelling.closest(to: key.index, among: entity.indexes.map(\.name))
            let corrected = similar.map { "\(UserInfo.indexKey).\($0)" + (key.option.map { ".\($0)" } ?? "") }
            report(
                entry, "userInfo names the index '\(key.index)', which '\(entity.name)' does not have",
                notes: [
                    similar.map { "Did you mean '\($0)'?" },
                    "Add a fetch index with this name, whose elements are the attributes to search",
                ], fixes: [corrected.map { .setting("key", to: $0, of: entry.location) }])
            return
        }
        guard let option = key.option else {
            guard entry.value == FetchIndex.Kind.fullText.rawValue else { return report(kindOf: entry, title) }
            if entity.indexes[position].kind == .rtree {
                report(entry, "\(title) has elements of an R-tree and cannot be a full-text index")
            } else {
                entity.indexes[position].kind = .fullText
            }
            return
        }
        let kindKey = "\(UserInfo.indexKey).\(key.index)"
        let isFullText = entity.userInfo[kindKey] == FetchIndex.Kind.fullText.rawValue
        guard isFullText || entity.indexes[position].kind == .fullText else {
            report(
                entry, "\(title) is not a full-text index, and so has no \(option)",
                notes: ["Add an entry with the key '\(kindKey)' and the value 'fulltext'"])
            return
        }
        read(entry, option, into: &entity.indexes[position].fullText, title)
    }

    private mutating func read(
        _ entry: UserInfo.Entry, _ option: String, into options: inout FullTextOptions, _ title: String
    ) {
        let words = entry.value.split { $0 == "," || $0.isWhitespace }.map(String.init)
        switch option {
        case "tokenizer":
            if let tokenizer = FullTextOptions.Tokenizer(rawValue: entry.value) {
                options.tokenizer = tokenizer
                return
            }
            let names = FullTextOptions.Tokenizer.allCases.map(\.rawValue)
            let similar = Spelling.closest(to: entry.value, among: names)
            report(
                entry, "\(title) has the unknown tokenizer '\(entry.value)'",
                notes: ["The tokenizers are \(names.joined(separator: ", "))"],
                fixes: [similar.map { .setting("value", to: $0, of: entry.location) }])
        case "prefixes":
            // FTS5 does not accept longer ones.
            let lengths = words.compactMap { Int($0) }.filter { (1...999).contains($0) }
            if lengths.count == words.count, !lengths.isEmpty, lengths.count <= 31 {
                options.prefixLengths = Set(lengths).sorted()
            } else {
                report(
                    entry, "\(title) has '\(entry.value)' for lengths of prefixes",
                    notes: ["Write whole numbers of characters, such as 2, 3"])
            }
        default:
            let weights = words.compactMap { Double($0) }.filter { $0.isFinite && $0 >= 0 }
            if weights.count == words.count, !weights.isEmpty {
                options.weights = weights
            } else {
                report(
                    entry, "\(title) has '\(entry.value)' for weights",
                    notes: ["Write a number for each element of the index, such as 10, 1"])
            }
        }
    }

    private mutating func report(kindOf entry: UserInfo.Entry, _ title: String) {
        report(
            entry, "\(title) is to be an index of the unknown kind '\(entry.value)'",
            notes: ["The only kind that userInfo can set is 'fulltext'"],
            fixes: [.setting("value", to: FetchIndex.Kind.fullText.rawValue, of: entry.location)])
    }

    private mutating func report(
        _ entry: UserInfo.Entry, _ message: String, notes: [String?] = [], fixes: [Diagnostic.Fix?] = []
    ) {
        diagnostics.report(
            Diagnostic(
                .invalidIndex, at: entry.location, message, notes: notes.compactMap(\.self),
                fixes: fixes.compactMap(\.self) + [.removing(entry.location, "Remove the entry")]))
    }
}

/// A key such as `ashlar.index.search` or `ashlar.index.search.tokenizer`.
struct FullTextKey {
    var index: String
    var option: String?

    /// Nil for another key.
    init?(_ key: String) {
        let parts = key.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3 || parts.count == 4, "\(parts[0]).\(parts[1])" == UserInfo.indexKey, !parts[2].isEmpty
        else { return nil }
        index = parts[2]
        if parts.count == 4 {
            guard UserInfo.indexOptions.contains(parts[3]) else { return nil }
            option = parts[3]
        }
    }
}
