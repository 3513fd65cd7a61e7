/// Names of a model for those of a database, each given once.
struct ReversedNames {
    private var used: Set<String> = []

    /// Names that objects have of themselves.
    private static let reserved: Set<String> = [
        "class", "copy", "description", "debugdescription", "entity", "entityname", "hash", "hashvalue", "init",
        "isdeleted",
        "isfault", "isinserted", "isupdated", "haschanges", "objectid", "persistentmodelid", "modelcontext", "self",
        "superclass",
        "type", "zone", "release", "retain", "finalize", "changedvalues", "managedobjectcontext", "id", "version",
    ]

    /// The name of an entity: `user_accounts` becomes `UserAccounts`.
    mutating func entity(_ name: String) -> String {
        let words = Self.words(name).map { $0.prefix(1).uppercased() + $0.dropFirst() }
        return unique(Self.beginning(words.joined(), "Table"))
    }

    /// The name of a property: `LAST_NAME` becomes `lastName`.
    mutating func property(_ name: String) -> String {
        var words = Self.words(name)
        if words.allSatisfy({ $0 == $0.uppercased() }) { words = words.map { $0.lowercased() } }
        let first = words.first.map { $0.prefix(1).lowercased() + $0.dropFirst() } ?? ""
        let rest = words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }
        var result = Self.beginning(first + rest.joined(), "column")
        if Self.reserved.contains(result.lowercased()) { result += "Column" }
        return unique(result)
    }

    private static func words(_ name: String) -> [String] {
        name.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }.map(String.init)
    }

    private static func beginning(_ name: String, _ prefix: String) -> String {
        guard let first = name.first else { return prefix }
        return first.isLetter ? name : prefix + name
    }

    /// Names that differ in capitals only would be one to SQLite.
    private mutating func unique(_ name: String) -> String {
        var (result, number) = (name, 1)
        while !used.insert(result.lowercased()).inserted {
            number += 1
            result = "\(name)\(number)"
        }
        return result
    }
}
