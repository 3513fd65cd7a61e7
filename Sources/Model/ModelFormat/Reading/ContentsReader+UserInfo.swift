import DataModel

extension ContentsReader {
    /// Reads the `userInfo` of an element.
    mutating func readUserInfo(of element: XMLElement) -> UserInfo {
        var info = UserInfo()
        var places: [String: SourceLocation] = [:]
        for entry in element.children(named: "userInfo").flatMap({ $0.children(named: "entry") }) {
            guard let key = required("key", of: entry, "An entry of userInfo") else { continue }
            info.entries.append(UserInfo.Entry(key: key, value: entry["value"] ?? "", location: entry.location))
            if let first = places.updateValue(entry.location, forKey: key) {
                diagnostics.report(
                    .duplicateKey, at: first, "userInfo has the key '\(key)' twice, and only the last counts",
                    notes: ["The other is at \(entry.location)"],
                    fixes: [.removing(first, isSafe: true, "Remove the first")])
            }
            if key == UserInfo.silenceKey {
                checkSilence(of: entry)
            } else if key.lowercased().hasPrefix("ashlar.") && !isKnown(key, on: element) {
                report(unknownKey: key, of: entry)
            }
        }
        return info
    }

    /// The keys of full-text indexes have their place: Xcode would not keep them in the index itself.
    private func isKnown(_ key: String, on element: XMLElement) -> Bool {
        if FullTextKey(key) != nil { return element.name == "entity" }
        return key == UserInfo.indexKey ? element.name == "attribute" : UserInfo.keys.contains(key)
    }

    /// Reports an entry that Ashlar does not read.
    private mutating func report(unknownKey key: String, of entry: XMLElement) {
        if FullTextKey(key) != nil || key == UserInfo.indexKey { return report(misplacedKey: key, of: entry) }
        let similar = Spelling.closest(to: key, among: candidates(for: key))
        let fix = similar.map { name in
            Diagnostic.Fix.setting("key", to: name, of: entry.location, isSafe: name == UserInfo.silenceKey)
        }
        diagnostics.report(
            .unknownKey, at: entry.attribute("key")?.location ?? entry.location,
            "userInfo has the key '\(key)', which Ashlar does not know",
            notes: [
                similar.map { "Did you mean '\($0)'?" },
                "The keys are \(UserInfo.keys.sorted().joined(separator: ", "))",
            ].compactMap(\.self),
            fixes: [fix, .removing(entry.location, "Remove the entry")].compactMap(\.self))
    }

    private func candidates(for key: String) -> Set<String> {
        let parts = key.split(separator: ".").map(String.init)
        guard parts.count == 4 else { return UserInfo.keys }
        return Set(UserInfo.indexOptions.map { "\(UserInfo.indexKey).\(parts[2]).\($0)" })
    }

    /// Reports an entry for an index at a place where Xcode does not keep it, or on an element without a name.
    private mutating func report(misplacedKey key: String, of entry: XMLElement) {
        diagnostics.report(
            .unknownKey, at: entry.attribute("key")?.location ?? entry.location,
            "userInfo has the key '\(key)' where Ashlar does not look for it",
            notes: [
                "On an attribute, the key is '\(UserInfo.indexKey)'",
                "On an entity, it is '\(UserInfo.indexKey).' and the name of one of its fetch indexes",
            ], fixes: [.removing(entry.location, "Remove the entry")])
    }

    /// Every code that an author silences must be one.
    private mutating func checkSilence(of entry: XMLElement) {
        guard let value = entry.attribute("value"), !value.value.isEmpty else { return }
        let names = Diagnostic.Code.allCases.map(\.rawValue)
        for code in SilencedCodes.parse(value.value) where !names.contains(code) {
            let similar = Spelling.closest(to: code, among: names)
            let fix = similar.map { name in
                let corrected = SilencedCodes.parse(value.value).map { $0 == code ? name : $0 }
                return Diagnostic.Fix.setting(
                    "value", to: corrected.joined(separator: ", "), of: entry.location, isSafe: true)
            }
            diagnostics.report(
                .unknownSilencedCode, at: value.location, "There is no code '\(code)' to silence",
                notes: similar.map { ["Did you mean '\($0)'?"] } ?? ["Documentation/Diagnostics.md lists the codes"],
                fixes: [fix].compactMap(\.self))
        }
    }
}
