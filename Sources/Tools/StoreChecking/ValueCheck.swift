import Ashlar
import AshlarSQLite
import DataModel
import Foundation
import RelationalSchema

/// Checks that the values of attributes have the right types, are there if required, and lie within their bounds.
///
/// Each table is read once, or once for each hundred rules: a row is examined closely if it breaks one of them.
struct ValueCheck: StoreCheckStep {
    let subject = "values"
    /// SQLite's limits on columns and on the depth of an expression are far from it.
    static let rulesPerQuery = 100

    func run(_ store: CheckedStore) throws {
        try CheckFunctions.add(to: store.connection)
        for table in store.schema.tables {
            guard case .objects(let root) = table.content, store.usableTables.contains(table.name),
                let storage = store.schema.storage(ofEntityNamed: root), store.heldEntities.contains(root)
            else { continue }
            let rules = ValueRules(store, storage, table).all
            for start in stride(from: 0, to: rules.count, by: Self.rulesPerQuery) {
                try check(Array(rules[start..<min(rules.count, start + Self.rulesPerQuery)]), table.name, store)
            }
        }
    }

    private func check(_ rules: [ValueRule], _ table: String, _ store: CheckedStore) throws(SQLiteError) {
        let statement = try store.connection.prepare(Self.query(rules, table, in: "true"))
        var tallies = [Tally](repeating: Tally(), count: rules.count)
        while try statement.step() {
            let row = statement.int64(0)
            for index in rules.indices where statement.int64(Int32(index + 1)) == 1 { tallies[index].add(row) }
        }
        for (rule, tally) in zip(rules, tallies) {
            if let finding = tally.added(to: rule.finding) { store.add(finding) }
        }
    }

    /// The query for the rows that break a rule: their numbers, and of each rule whether it is broken.
    static func query(_ rules: [ValueRule], _ table: String, in scope: String) -> String {
        let terms = rules.map { "(\($0.isBroken))" }
        return """
            SELECT t.\(SQLText.identifier(ColumnName.identifier)), \(terms.joined(separator: ", "))
            FROM \(SQLText.identifier(table)) AS t WHERE \(scope) AND (\(terms.joined(separator: " OR ")))
            """
    }
}

/// A condition that holds for a wrong row of a table, which is called `t`.
struct ValueRule {
    var finding: StoreFinding
    var isBroken: String
}

/// The functions that the statements of checks call.
enum CheckFunctions {
    static let isText = "check_is_text"
    static let isDecimal = "check_is_decimal"
    static let isURL = "check_is_url"
    static let isReference = "check_is_reference"
    static let length = "check_length"
    static let matches = "check_matches"

    /// Defines the functions, unless they are defined already. SQLite does not allow the replacement of a function
    /// while any statement runs, and an R-tree's own statements run until the end of a transaction that wrote it.
    static func add(to connection: Connection) throws(SQLiteError) {
        if (try? connection.prepare("SELECT \(isText)(NULL), \(matches)(NULL, NULL)")) != nil { return }
        try connection.addFunction(isText, argumentCount: 1) { arguments in
            guard case .blob(let bytes) = arguments[0] else { return .integer(1) }
            return .integer(String(validating: bytes, as: UTF8.self) == nil ? 0 : 1)
        }
        try connection.addFunction(isDecimal, argumentCount: 1) { arguments in
            guard case .text(let text) = arguments[0] else { return .integer(0) }
            return .integer(isNumber(text) ? 1 : 0)
        }
        try connection.addFunction(isURL, argumentCount: 1) { arguments in
            guard case .text(let text) = arguments[0] else { return .integer(0) }
            return .integer(URL(string: text) == nil ? 0 : 1)
        }
        try connection.addFunction(isReference, argumentCount: 1) { arguments in
            guard case .blob(let bytes) = arguments[0] else { return .integer(0) }
            return .integer(LargeValueCheck.isReference(bytes) ? 1 : 0)
        }
        try connection.addFunction(length, argumentCount: 1) { arguments in
            guard case .text(let text) = arguments[0] else { return .null }
            return .integer(Int64(text.utf16.count))
        }
        try connection.addFunction(matches, argumentCount: 2) { arguments in
            guard case .text(let pattern) = arguments[1] else { return .null }
            return .integer(ValidationRule.pattern(pattern).isKept(by: arguments[0]) ? 1 : 0)
        }
    }

    /// Returns whether a text is a decimal number as columns have them: digits, perhaps with a sign and a point.
    static func isNumber(_ text: String) -> Bool {
        var digits = text.utf8[...]
        if digits.first == UInt8(ascii: "-") || digits.first == UInt8(ascii: "+") { digits = digits.dropFirst() }
        var (count, points) = (0, 0)
        for byte in digits {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): count += 1
            case UInt8(ascii: "."): points += 1
            default: return false
            }
        }
        return count > 0 && points <= 1
    }
}
