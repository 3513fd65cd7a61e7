import Ashlar
import AshlarSQLite
import Foundation
import SQLQuoting

/// Finds a model in the tables of a database.
struct ModelReversal {
    let connection: Connection
    var tables: [String: ForeignTable] = [:]
    /// The names of the tables by their lowercase forms.
    private var spellings: [String: String] = [:]
    private var joinTables: Set<String> = []
    private var entityNames = ReversedNames()
    /// By the names of tables.
    var propertyNames: [String: ReversedNames] = [:]
    var places: [String: Int] = [:]
    /// The positions of the entities by their names.
    var positions: [String: Int] = [:]
    var result = ReversedModel()

    init(_ connection: Connection) throws {
        self.connection = connection
        let schema = try connection.schema()
        var virtual: [(String, String)] = []
        for table in try schema.tables() where !table.isReserved {
            let name = table.name
            let text = schema.object(.table, named: name)?.sql ?? ""
            switch table.kind {
            case .table:
                tables[name] = try ForeignTable(name, sql: text, isWithoutRowID: table.isWithoutRowID, connection)
                spellings[name.lowercased()] = name
            case .virtual: virtual.append((name, text))
            case .view: result.notRepresentable.append("The view \(name).")
            case .shadow: break
            }
        }
        let triggers = schema.objects(.trigger).count
        if triggers > 0 {
            result.notRepresentable.append("\(triggers) triggers, which programs that write the new store lack.")
        }
        findJoinTables()
        for table in names where !joinTables.contains(table) { addEntity(table) }
        for table in names where !joinTables.contains(table) { try addReferences(of: table) }
        for table in joinTables.sorted() { try addPairs(table) }
        for table in names where !joinTables.contains(table) { addIndexes(of: table) }
        for (name, text) in virtual { try addVirtualTable(name, text) }
        for table in names { result.notRepresentable += (tables[table]?.remarks ?? []).map { "\(table): \($0)." } }
    }

    var names: [String] { tables.keys.sorted() }

    /// The table with a name, which SQLite compares case-insensitively.
    private func table(_ name: String) -> ForeignTable? {
        tables[name] ?? spellings[name.lowercased()].flatMap { tables[$0] }
    }

    // MARK: Entities

    private mutating func addEntity(_ name: String) {
        guard let table = tables[name] else { return }
        let quoted = "main.\(SQLQuotation.identifier(name))"
        var entity = ReversedModel.Entity(
            name: entityNames.entity(name), table: name, identifier: Self.identifier(of: table, "s"),
            source: table.hasRowID ? "\(quoted) AS s" : "(\(Self.numbered(table))) AS s", rows: table.rows)
        var names = ReversedNames()
        for column in table.columns where !column.isGenerated && column.name != table.rowIDColumn {
            if table.references.contains(where: { $0.column == column.name && isUsable($0) }) { continue }
            guard let (type, note) = Self.type(of: column) else {
                result.notRepresentable.append(
                    "\(name).\(column.name): it holds values of several types: "
                        + column.types.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(
                            separator: ", ") + ".")
                continue
            }
            if let note { result.notes.append("\(name).\(column.name) \(note).") }
            if column.roundedCount > 0 {
                result.notes.append(
                    "\(name).\(column.name): \(column.roundedCount) whole numbers beside others get rounded, as a floating-point "
                        + "number cannot represent them exactly.")
            }
            let defaultValue = Self.defaultValue(column, type)
            if column.defaultValue != nil, defaultValue == nil, column.defaultValue?.uppercased() != "NULL" {
                result.notRepresentable.append("\(name).\(column.name): its default \(column.defaultValue ?? "").")
            }
            let hasNulls = column.types["null"] ?? 0 > 0
            entity.attributes.append(
                ReversedModel.Attribute(
                    name: names.property(column.name), type: type,
                    isOptional: hasNulls || !column.isRequired && column.keyPosition == 0, defaultValue: defaultValue,
                    sql: "s.\(SQLQuotation.identifier(column.name))"))
            let property = entity.attributes.last?.name ?? ""
            columnProperties[name, default: [:]][column.name.lowercased()] = property
            if Self.letters(property) != Self.letters(column.name) {
                result.notes.append("\(name).\(column.name) is \(entity.name).\(property).")
            }
        }
        propertyNames[name] = names
        places[name] = result.entities.count
        positions[entity.name] = result.entities.count
        result.entities.append(entity)
        if table.hasRowID, table.firstRowID < 1 {
            result.notes.append(
                "\(name): its numbers begin at \(table.firstRowID), and get greater by \(1 - table.firstRowID).")
        }
    }

    /// Returns the letters and digits of a name in lowercase, so that different spellings are equal.
    private static func letters(_ name: String) -> String { name.lowercased().filter { $0.isLetter || $0.isNumber } }

    /// By the names of tables and, in small letters, of columns.
    var columnProperties: [String: [String: String]] = [:]

    /// The number of a row: greater than 0, and always the same.
    private static func identifier(of table: ForeignTable, _ row: String) -> String {
        if !table.hasRowID { return "\(row).\"number$\"" }
        let number = "\(row).\(table.rowIDName ?? "rowid")"
        return table.firstRowID < 1 ? "\(number) + \(1 - table.firstRowID)" : number
    }

    /// The rows of a table without numbers, with one.
    private static func numbered(_ table: ForeignTable) -> String {
        let names =
            table.keys.map(SQLQuotation.identifier) + (table.keys.isEmpty ? table.rowIDName.map { [$0] } ?? [] : [])
        let order = names.isEmpty ? "" : "ORDER BY \(names.joined(separator: ", "))"
        return
            "SELECT *, row_number() OVER (\(order)) AS \"number$\" FROM main.\(SQLQuotation.identifier(table.name))"
    }

    private static func type(of column: ForeignTable.Column) -> (type: String, note: String?)? {
        let found = Set(column.types.keys).subtracting(["null"])
        let declared = column.declaredType
        func isDeclared(_ words: String...) -> Bool { words.contains { declared.contains($0) } }
        let isTime = isDeclared("DATE", "TIME")
        if found.isEmpty {
            if column.isBoolean { return ("Boolean", nil) }
            if isDeclared("INT") { return ("Integer 64", nil) }
            if isDeclared("CHAR", "CLOB", "TEXT") { return ("String", nil) }
            if isDeclared("BLOB") { return ("Binary", nil) }
            if isDeclared("REAL", "FLOA", "DOUB") { return ("Double", nil) }
            return ("String", "has no values, and its declared type does not decide: it is taken for a text")
        }
        switch found {
        case ["integer"]:
            if column.isBoolean { return ("Boolean", nil) }
            return ("Integer 64", isTime ? "is a time as a whole number; its epoch is unknown" : nil)
        case ["real"], ["integer", "real"]:
            return ("Double", isTime ? "is a time as a number; its epoch is unknown" : nil)
        case ["text"]: return ("String", isTime ? "is a time as a text" : nil)
        case ["blob"]: return ("Binary", nil)
        default: return nil
        }
    }

    /// The default as a model writes it; nil for a default that is computed.
    private static func defaultValue(_ column: ForeignTable.Column, _ type: String) -> String? {
        guard let text = column.defaultValue else {
            // A required number has one in every model.
            return nil
        }
        switch type {
        case "Integer 64": return Int64(text).map { "\($0)" }
        case "Double": return Double(text).flatMap { $0.isFinite ? "\($0)" : nil }
        case "Boolean": return ["0": "NO", "1": "YES", "FALSE": "NO", "TRUE": "YES"][text.uppercased()]
        case "String":
            guard text.hasPrefix("'"), text.hasSuffix("'"), text.utf8.count > 1 else { return nil }
            return SQLQuotation.content(of: text)
        default: return nil
        }
    }

    // MARK: Relationships

    /// Returns whether a reference leads to rows of a table by a unique key.
    private func isUsable(_ reference: ForeignTable.Reference) -> Bool { target(of: reference) != nil }

    private func target(of reference: ForeignTable.Reference) -> (table: ForeignTable, column: String)? {
        guard let table = table(reference.table), !joinTables.contains(table.name) else { return nil }
        if let name = reference.target ?? (table.keys.count == 1 ? table.keys[0] : nil) {
            return table.column(name).map { (table, $0.name) }
        }
        return nil
    }

    /// The number of the row that a column refers to.
    private struct ReferredNumber {
        /// An expression over the row that has the column.
        var sql: String
        /// The join with the row, because a lookup in the table for each row would take as long as both together.
        var join = ""
    }

    /// - Parameters:
    ///   - position: Distinguishes this reference from others of the same row.
    ///   - isChecked: Whether a reference that leads nowhere becomes NULL.
    private func number(
        _ reference: ForeignTable.Reference, _ row: String, _ position: Int, isChecked: Bool
    ) -> ReferredNumber? {
        guard let (table, column) = target(of: reference) else { return nil }
        let value = "\(row).\(SQLQuotation.identifier(reference.column))"
        if column == table.rowIDColumn, !isChecked {
            return ReferredNumber(sql: table.firstRowID < 1 ? "\(value) + \(1 - table.firstRowID)" : value)
        }
        let source = table.hasRowID ? "main.\(SQLQuotation.identifier(table.name))" : "(\(Self.numbered(table)))"
        let found = "r\(position)"
        return ReferredNumber(
            sql: "\(found).\"number$\"",
            join: " LEFT JOIN (SELECT min(\(Self.identifier(of: table, "d"))) AS \"number$\", "
                + "d.\(SQLQuotation.identifier(column)) AS \"key$\" FROM \(source) AS d GROUP BY 2) AS \(found) "
                + "ON \(found).\"key$\" = \(value)")
    }

    private mutating func findJoinTables() {
        let referred = Set(tables.values.flatMap { $0.references.map { $0.table.lowercased() } })
        for name in names {
            guard let table = tables[name], table.references.count == 2,
                table.references[0].column != table.references[1].column,
                table.references.allSatisfy(isUsable)
            else { continue }
            let columns = Set(table.references.map(\.column))
            let others = table.columns.filter { !columns.contains($0.name) && $0.name != table.rowIDColumn }
            let isPair =
                others.isEmpty
                && table.columns.filter { columns.contains($0.name) }.allSatisfy { $0.types["null"] ?? 0 == 0 }
            if isPair, !referred.contains(name.lowercased()) { joinTables.insert(name) }
        }
    }

    /// The number of rows that refer to nothing, which SQLite allows unless a program turns its checks on.
    private func danglingCount(_ reference: ForeignTable.Reference, in name: String) throws(SQLiteError) -> Int64 {
        guard let (table, column) = target(of: reference) else { return 0 }
        let value = "s.\(SQLQuotation.identifier(reference.column))"
        return try connection.integer(
            "SELECT count(*) FROM main.\(SQLQuotation.identifier(name)) AS s WHERE \(value) IS NOT NULL AND \(value) NOT IN "
                + "(SELECT d.\(SQLQuotation.identifier(column)) FROM main.\(SQLQuotation.identifier(table.name)) AS d "
                + "WHERE d.\(SQLQuotation.identifier(column)) IS NOT NULL)"
        ) ?? 0
    }

    private mutating func addReferences(of name: String) throws {
        guard let table = tables[name], let place = places[name] else { return }
        for (position, reference) in table.references.enumerated() {
            let dangling = try danglingCount(reference, in: name)
            guard let (target, _) = target(of: reference), let other = places[target.name],
                let number = number(reference, "s", position, isChecked: dangling > 0),
                let column = table.column(reference.column)
            else {
                result.notRepresentable.append(
                    "\(name).\(reference.column): it refers to \(reference.table), but to no column that identifies its rows."
                )
                continue
            }
            let own = propertyNames[name, default: ReversedNames()].property(Self.withoutKeySuffix(reference.column))
            let isOne =
                table.indexes.contains { $0.isUnique && $0.columns.map(\.name) == [reference.column] }
                || table.keys == [reference.column]
            let back = propertyNames[target.name, default: ReversedNames()].property(
                isOne ? name : name.lowercased().hasSuffix("s") ? name : name + "s")
            columnProperties[name, default: [:]][reference.column.lowercased()] = own
            let rule =
                switch reference.deletion.uppercased() {
                case "CASCADE": "Cascade"
                case "SET NULL", "SET DEFAULT": "Nullify"
                default: "Deny"
                }
            if dangling > 0 {
                result.notes.append(
                    "\(name).\(reference.column): \(dangling) rows refer to no row of \(target.name), and will refer to nothing."
                )
            }
            let isOptional =
                !column.isRequired && column.keyPosition == 0 || column.types["null"] ?? 0 > 0 || dangling > 0
            result.entities[place].relationships.append(
                ReversedModel.Relationship(
                    name: own, destination: result.entities[other].name, inverse: back, isToMany: false,
                    isOptional: isOptional, sql: number.sql))
            result.entities[place].source += number.join
            result.entities[other].relationships.append(
                ReversedModel.Relationship(
                    name: back, destination: result.entities[place].name, inverse: own, isToMany: !isOne,
                    deletionRule: rule == "Nullify" && !isOptional ? "Deny" : rule))
        }
    }

    /// `author_id` refers to an author.
    private static func withoutKeySuffix(_ name: String) -> String {
        for suffix in ["_id", "_ID", "_fk", "Id", "ID"] where name.hasSuffix(suffix) && name.count > suffix.count {
            return String(name.dropLast(suffix.count))
        }
        return name
    }

    private mutating func addPairs(_ name: String) throws {
        guard let table = tables[name], let first = target(of: table.references[0]),
            let second = target(of: table.references[1]),
            let own = places[first.table.name], let other = places[second.table.name],
            let left = number(table.references[0], "p", 0, isChecked: true),
            let right = number(table.references[1], "p", 1, isChecked: true)
        else { return }
        let isSelf = own == other
        let forward = propertyNames[first.table.name, default: ReversedNames()].property(
            isSelf ? Self.withoutKeySuffix(table.references[1].column) + "s" : second.table.name)
        let back = propertyNames[second.table.name, default: ReversedNames()].property(
            isSelf ? Self.withoutKeySuffix(table.references[0].column) + "s" : first.table.name)
        result.entities[own].relationships.append(
            ReversedModel.Relationship(
                name: forward, destination: result.entities[other].name, inverse: back, isToMany: true,
                pairs:
                    "SELECT DISTINCT \(left.sql), \(right.sql) FROM main.\(SQLQuotation.identifier(name)) AS p"
                    + "\(left.join)\(right.join) WHERE \(left.sql) IS NOT NULL AND \(right.sql) IS NOT NULL ORDER BY 1, 2"
            ))
        result.entities[other].relationships.append(
            ReversedModel.Relationship(
                name: back, destination: result.entities[own].name, inverse: forward, isToMany: true))
        for reference in table.references {
            let dangling = try danglingCount(reference, in: name)
            if dangling > 0 {
                result.notes.append("\(name).\(reference.column): \(dangling) pairs lead nowhere, and are left out.")
            }
        }
        result.notes.append(
            "\(name) is a table of pairs: \(result.entities[own].name).\(forward) and \(result.entities[other].name).\(back)."
        )
    }
}
