import Ashlar
import AshlarSQLite

/// Checks that the files of large values exist, are complete, and belong to a row.
struct LargeValuesCheck: StoreCheckStep {
    let subject = "files of large values"

    func run(_ store: CheckedStore) throws {
        let check = LargeValueCheck(storePath: store.path)
        var unused = store.fileNames
        var tallies: [Place: Tally] = [:]
        try check.check(store.connection, unused: &unused) { problem in
            let place = Place(table: problem.table, column: problem.column, isMissing: problem.text == "is missing")
            tallies[place, default: Tally()].add(problem.rowID)
        }
        for (place, tally) in tallies.sorted(by: { $0.key < $1.key }) {
            let finding = StoreFinding(
                kind: place.isMissing ? .missingFile : .wrongFile,
                text: place.isMissing
                    ? "The file of a large value is missing." : "The file of a large value has another length.",
                remedy: "Bring the file back from a backup, or set another value.", entity: nil, property: place.column,
                table: place.table)
            if let finding = tally.added(to: finding) { store.add(finding) }
        }
        if unused.isEmpty { return }
        if check.isWritten, !store.isLocked {
            store.note(
                "Files of large values without a reference are not listed, as a program writes such files or was killed while it did. Opening the store removes those."
            )
            return
        }
        let names = unused.sorted().prefix(StoreFinding.greatestRowCount).joined(separator: ", ")
        store.unusedFiles = unused
        store.add(
            StoreFinding(
                kind: .unusedFile,
                text: "No row refers to files of large values: \(names)\(unused.count > 5 ? ", …" : "").",
                remedy: "They are moved into a folder beside the backup.", count: unused.count, mending: .moveFiles))
    }

    private struct Place: Hashable, Comparable {
        var table: String
        var column: String
        var isMissing: Bool

        static func < (left: Place, right: Place) -> Bool {
            (left.table, left.column, left.isMissing ? 0 : 1) < (right.table, right.column, right.isMissing ? 0 : 1)
        }
    }
}
