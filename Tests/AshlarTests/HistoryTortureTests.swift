import AshlarSQLite
import Foundation
import Testing

@_spi(Generated) @testable import Ashlar

/// The history of tables with more columns than a mask has bits.
@Suite struct HistoryTortureTests {
    @Test func tablesOfMoreColumnsThanAMaskHasBits() throws {
        let container = try ModelContainer(
            for: TortureModel.self,
            configurations: ModelConfiguration(
                isStoredInMemoryOnly: true, options: StoreOptions(historyTracking: true)))
        let tables = try container.pool.read { try HistoryCatalogue($0) }
        let wide = try #require(tables.columns.max { ($0.value.count, $1.key) < ($1.value.count, $0.key) })
        #expect(wide.value.count > HistoryCatalogue.groupSize)
        // A change of a column is recorded by its name, whatever the column's position is.
        let entity = try #require(container.model.entities.first { $0.tableName == wide.key })
        let columns = entity.columns.filter { $0.isOptional && $0.type == .string }
        try #require(columns.count > 1)
        try container.execute("PRAGMA foreign_keys = OFF")
        try container.insertAnyRow(of: wide.key)
        for column in columns {
            let token = try container.currentHistoryToken()
            try container.execute("UPDATE \"\(wide.key)\" SET \"\(column.name)\" = 'changed'")
            let names = try container.fetchHistory(.fetchHistory(after: token)).flatMap(\.changes)
                .flatMap(\.updatedProperties)
            #expect(names == [String(column.property.prefix { $0 != "." })], "\(column.name)")
        }
    }
}

extension ModelContainer {
    /// Inserts a row with values for all required columns.
    func insertAnyRow(of table: String) throws {
        try pool.write { connection in
            let required = try connection.rows(
                "SELECT \"name\", \"type\" FROM pragma_table_xinfo(?1) WHERE \"notnull\" AND \"hidden\" = 0 "
                    + "AND \"dflt_value\" IS NULL AND \"pk\" = 0", [.text(table)])
            let names = required.map { "\"\($0[0].storedText)\"" }.joined(separator: ", ")
            let values = required.map { row in
                ["TEXT": "'1'", "BLOB": "x'00112233445566778899AABBCCDDEEFF'"][row[1].storedText] ?? "1"
            }.joined(separator: ", ")
            try connection.execute("INSERT INTO \"\(table)\" (\(names)) VALUES (\(values))")
        }
    }
}
