/// What is a name to SQLite, Swift and the predicate format at once.
enum SQLiteName {
    /// The name as SQLite compares it, which is without regard to the case of ASCII letters only.
    static func folded(_ name: String) -> String {
        guard name.utf8.contains(where: { (0x41...0x5A).contains($0) }) else { return name }
        return String(decoding: name.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    /// Whether a name begins with a letter or an underscore and goes on with these and digits, in any script.
    static func isLegal(_ name: String) -> Bool {
        guard let first = name.unicodeScalars.first else { return false }
        return (first == "_" || first.properties.isXIDStart)
            && name.unicodeScalars.dropFirst().allSatisfy(\.properties.isXIDContinue)
    }
}
