import AshlarSQLite
import RelationalSchema

/// Whether SQLite finds the file's pages and indexes sound.
struct FileCheck: StoreCheckStep {
    let subject = "the file"

    /// SQLite's phrases for an index that lacks a row, has an extra one, or has a duplicate.
    private static let indexPhrases = ["missing from index ", "entries in index ", "non-unique entry in index "]
    /// SQLite's phrases for values, which other checks cover.
    private static let valuePhrases = ["NULL value in ", " value in ", "non-"]

    func run(_ store: CheckedStore) throws {
        var indexes: [String: Int] = [:]
        let statement = try store.connection.prepare("PRAGMA main.integrity_check(1000000)")
        var damages: [String] = []
        while try statement.step() {
            guard let text = statement.text(0), text != "ok" else { continue }
            if let phrase = Self.indexPhrases.first(where: text.contains), let range = text.range(of: phrase) {
                indexes[String(text[range.upperBound...]), default: 0] += 1
            } else if !Self.valuePhrases.contains(where: text.contains) {
                if damages.count < 20 { damages.append(text) }
            }
        }
        for text in damages {
            store.add(
                StoreFinding(
                    kind: .damagedFile, text: "SQLite finds the file damaged: \(text).", remedy: Self.remedy))
        }
        let known = Set(store.schema.indexes.map(\.name))
        for (name, count) in indexes.sorted(by: { $0.key < $1.key }) {
            store.add(
                StoreFinding(
                    kind: .damagedIndex, text: "The index \(name) does not match its table.",
                    remedy: "It is made again from the table's rows.", table: store.table(ofIndex: name), count: count,
                    mending: .reindex(name)))
        }
        store.usableIndexes = known.subtracting(indexes.keys)
    }

    static let remedy =
        "This cannot be repaired. Restore a backup, or save the readable rows as Documentation/Store.md shows under 'A damaged store'."
}

extension CheckedStore {
    func table(ofIndex name: String) -> String? { schema.indexes.first { $0.name == name }?.tableName }
}
