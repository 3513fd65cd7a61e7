import SchemaMigration
import StoreDescription

extension MigrationStatement {
    /// An argument of a call, in the lines of its literal.
    private struct Argument {
        var label: String?
        var lines: [String]

        /// SQL in a readable form.
        static func sql(_ text: String, _ label: String? = nil) -> Argument {
            Argument(label: label, lines: SwiftName.multilineLiteral(text))
        }

        static func name(_ text: String, _ label: String? = nil) -> Argument {
            Argument(label: label, lines: [SwiftName.literal(text)])
        }

        static func names(_ texts: [String], _ label: String) -> Argument {
            Argument(label: label, lines: ["[\(texts.map(SwiftName.literal).joined(separator: ", "))]"])
        }

        /// A list of expressions. All are literals of strings, which the compiler reads in no time.
        static func expressions(_ texts: [String], _ label: String) -> Argument {
            let literals = texts.map(SwiftName.multilineLiteral)
            if literals.allSatisfy({ $0.count == 1 }) {
                return Argument(label: label, lines: ["[\(literals.map { $0[0] }.joined(separator: ", "))]"])
            }
            var lines = ["["]
            for literal in literals {
                for line in literal { lines.append("    \(line)") }
                lines[lines.count - 1] += ","
            }
            lines.append("]")
            return Argument(label: label, lines: lines)
        }

        static func condition(_ text: String?) -> [Argument] { text.map { [.sql($0, "where")] } ?? [] }
    }

    /// The statement as an element of a list of the runtime's `MigrationStatement`: a call whose arguments are literals of
    /// strings and lists of such.
    var code: [String] {
        let (function, arguments) = call
        let isShort = arguments.allSatisfy { $0.lines.count == 1 }
        let texts = arguments.map { argument in (argument.label.map { $0 + ": " } ?? "", argument.lines) }
        if isShort {
            let line = ".\(function)(" + texts.map { $0 + $1[0] }.joined(separator: ", ") + "),"
            if line.utf8.count <= 100 { return [line] }
        }
        var lines = [".\(function)("]
        for (index, (label, literal)) in texts.enumerated() {
            var literal = literal
            literal[literal.count - 1] += index == texts.count - 1 ? ")," : ","
            if literal.count == 1 || literal[0] == "[" {
                literal[0] = label + literal[0]
            } else if !label.isEmpty {
                lines.append("    " + label.dropLast())
            }
            lines += literal.map { "    " + $0 }
        }
        return lines
    }

    private var call: (function: String, arguments: [Argument]) {
        switch purpose {
        case .change: change
        case .custom: ("custom", [.sql(sql)])
        case .check(let reason, let entityName):
            (
                "check",
                [.sql(sql), .names(readTables, "reading"), .name(reason, "reason"), .name(entityName, "entity")]
            )
        }
    }

    /// The tables that a query reads, each once.
    private var readTables: [String] {
        guard case .query(let tables, _) = operation else { return [] }
        var seen: Set<String> = []
        return tables.filter { seen.insert($0).inserted }
    }

    private var change: (function: String, arguments: [Argument]) {
        switch operation {
        case .createTable(let name, let sql): ("createTable", [.name(name), .sql(sql)])
        case .createReplacement(let name, let sql): ("createReplacement", [.name(name, "of"), .sql(sql)])
        case .replaceTable(let name): ("replaceTable", [.name(name)])
        case .dropTable(let name): ("dropTable", [.name(name)])
        case .renameTable(let name, let newName): ("renameTable", [.name(name), .name(newName, "to")])
        case .addColumn(let definition, let table): ("addColumn", [.sql(definition), .name(table, "to")])
        case .dropColumn(let name, let table): ("dropColumn", [.name(name), .name(table, "of")])
        case .renameColumn(let name, let table, let newName):
            ("renameColumn", [.name(name), .name(table, "of"), .name(newName, "to")])
        case .createIndex(let name, let table, let sql):
            ("createIndex", [.name(name), .name(table, "on"), .sql(sql)])
        case .dropIndex(let name, _): ("dropIndex", [.name(name)])
        case .createTrigger(let name, let sql): ("createTrigger", [.name(name), .sql(sql)])
        case .dropTrigger(let name, _): ("dropTrigger", [.name(name)])
        case .createVirtualTable(let name, let sql): ("createVirtualTable", [.name(name), .sql(sql)])
        case .fillVirtualTable(let contents, let table):
            (
                "fillVirtualTable",
                [
                    .name(contents.name), .name(table, "from"), .names(contents.columnNames, "columns"),
                    .sql(contents.rows, "rows"),
                ]
            )
        case .dropVirtualTable(let name, _): ("dropVirtualTable", [.name(name)])
        case .copyRows, .insertRows, .updateRows, .deleteRows, .makeMark, .raiseMark: changeOfRows
        // Planned statements have cases of their own.
        case .query(_, let sql), .other(let sql): ("custom", [.sql(sql)])
        }
    }

    private var changeOfRows: (function: String, arguments: [Argument]) {
        switch operation {
        case .copyRows(let copy):
            (
                "copyRows",
                [
                    .name(copy.table, "into"), .name(copy.source, "from"), .names(copy.columns, "columns"),
                    .expressions(copy.values, "values"),
                ] + Argument.condition(copy.condition)
            )
        case .insertRows(let table, let tables, let sql):
            ("insertRows", [.name(table, "into"), .names(tables, "reading"), .sql(sql)])
        case .updateRows(let update):
            (
                "updateRows",
                [
                    .name(update.table, "of"), .names(update.columns, "columns"), .expressions(update.values, "values"),
                ] + Argument.condition(update.condition)
            )
        case .deleteRows(let table, let condition):
            ("deleteRows", [.name(table, "of"), .sql(condition, "where")])
        case .makeMark(let table): ("makeMark", [.name(table, "of")])
        case .raiseMark(let table, let others): ("raiseMark", [.name(table, "of"), .names(others, "from")])
        default: ("custom", [.sql(sql)])
        }
    }
}
