/// The differences between the schema of a store and that of its model.
///
/// A name with a `$` is Ashlar's, because no name in a model has one. Objects with other names were added by hand, and
/// are kept. Names that begin with `ashlar$` belong to the runtime itself, and are not part of the schema.
struct SchemaComparison {
    let found: SchemaCatalogue
    let expected: SchemaCatalogue

    static func isOurs(_ name: String) -> Bool { name.contains("$") && !name.hasPrefix("ashlar$") }

    /// The differences that no newer model explains, because the tables were changed by hand.
    var alterations: [String] {
        var result: [String] = []
        for (name, table) in expected.tables {
            guard let other = found.tables[name] else {
                result.append("The table \(name) is missing.")
                continue
            }
            if (table.isStrict, table.hasRowID) != (other.isStrict, other.hasRowID) {
                result.append("The table \(name) has another kind: STRICT or WITHOUT ROWID differ.")
            }
            for column in table.columns.values {
                if let difference = Self.alteration(of: column, found: other.columns[column.name]) {
                    result.append("The column \(name).\(column.name) \(difference).")
                }
            }
        }
        return result.sorted()
    }

    /// The differences between the columns of tables that both have, by table and column.
    var columnDifferences: [(table: String, column: String, text: String)] {
        var result: [(table: String, column: String, text: String)] = []
        for (name, table) in expected.tables.sorted(by: { $0.key < $1.key }) {
            guard let other = found.tables[name] else { continue }
            for column in Set(table.columns.keys).union(other.columns.keys).sorted() {
                switch (table.columns[column], other.columns[column]) {
                case (let wanted?, let has?):
                    guard let text = Self.alteration(of: wanted, found: has) else { continue }
                    result.append((name, column, text))
                case (nil, _): result.append((name, column, "only in the store"))
                default: result.append((name, column, "not in the store"))
                }
            }
        }
        return result
    }

    private static func alteration(
        of column: SchemaCatalogue.Column, found: SchemaCatalogue.Column?
    ) -> String? {
        guard let found else { return "is missing" }
        if found.type != column.type { return "is \(found.type), not \(column.type)" }
        if found.isRequired != column.isRequired {
            return found.isRequired ? "is NOT NULL, and should not be" : "is not NOT NULL, and should be"
        }
        if found.keyPosition != column.keyPosition || found.isAutoincrement != column.isAutoincrement {
            return "has another part in the primary key"
        }
        if found.collation != column.collation {
            return "has the collation \(found.collation), not \(column.collation)"
        }
        return found.kind == column.kind ? nil : "is generated in another way"
    }

    /// The names of the tables to rebuild, because a default or a foreign key differs.
    var tablesToRebuild: [String] {
        expected.tables.compactMap { name, table in
            guard let other = found.tables[name] else { return nil }
            let columns = Set(table.columns.keys)
            let hasOtherDefault = table.columns.contains {
                other.columns[$0.key]?.defaultValue != $0.value.defaultValue
            }
            let references = other.references.filter { columns.contains($0.column) }
            return hasOtherDefault || references != table.references ? name : nil
        }.sorted()
    }

    /// The R-trees and full-text indexes to fill again, because rows may have changed while one of their triggers was
    /// missing.
    private var treesToFill: Set<String> {
        let changed = Set(expected.objects.keys).union(found.objects.keys)
            .filter { expected.objects[$0] != found.objects[$0] }
        return Set(
            expected.objects.filter { name, object in
                object.kind == .virtualTable && changed.contains { $0 == name || $0.hasPrefix("\(name)$") }
            }.keys)
    }

    /// The names of Ashlar's indexes, triggers and virtual tables that are missing or different in the model's schema.
    var objectsToDrop: [String] {
        let trees = treesToFill
        return found.objects.filter { name, object in
            if let other = expected.objects[name] { return other != object || trees.contains(name) }
            return Self.isOurs(name)
        }.map(\.key).sorted()
    }

    /// The names of those that are missing or different in the store.
    var objectsToCreate: [String] {
        let trees = treesToFill
        return expected.objects.filter { found.objects[$0.key] != $0.value || trees.contains($0.key) }
            .map(\.key).sorted()
    }

    /// Whether there are no differences to update.
    var isSame: Bool { tablesToRebuild.isEmpty && objectsToDrop.isEmpty && objectsToCreate.isEmpty }
}
