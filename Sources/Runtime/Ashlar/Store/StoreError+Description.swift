import AshlarSQLite
import SystemFoundation

extension StoreError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .sqliteTooOld(let found, let needed):
            "SQLite \(found) is too old: Ashlar needs \(needed) or later. Install a newer libsqlite3."
        case .missingFolder(let url):
            "The folder \(url.deletingLastPathComponent().path) does not exist or cannot be written, so the store "
                + "\(url.lastPathComponent) was not made. Create the folder first."
        case .missingFile(let url):
            "There is no store at \(url.path), and the configuration does not allow saving, so none was made."
        case .unreadable(let url, let reason):
            "The store \(url.path) cannot be read: \(reason). Check the permissions of the file and its folders."
        case .notADatabase(let url):
            "\(url.path) is not an SQLite database. It was left as it is; choose another place for the store."
        case .truncated(let url, let length, let expected):
            "The store \(url.path) is damaged: it has \(length) of its \(expected) bytes. It was left as it is; "
                + "put a backup in its place."
        case .coreDataStore(let url):
            "\(url.path) is a store that Core Data or SwiftData wrote. Add the product AshlarImport to the target and open the "
                + "store with ModelConfiguration(url:importing:), or run ashlar import."
        case .foreignDatabase(let url):
            "\(url.path) is an SQLite database of another program. It was left as it is; choose another place."
        case .otherModel(let url, let found, let expected):
            "The store \(url.path) belongs to the model \(found), not to \(expected)."
        case .newerFormat(let url, let found, let supported):
            "The store \(url.path) has format \(found); this program reads formats up to \(supported). Update it."
        case .unknownVersion(let url, let version, let differences):
            "The store \(url.path) was made with the version \"\(version)\" of its model, which this program does not "
                + "know."
                + (differences.first == Self.editedVersion
                    ? "" : " It may be newer than the program, or the version was removed from the model.")
                + differences.map { "\n  \($0)" }.joined()
        case .newerVersion(let url, let version, let current, let differences):
            "The store \(url.path) was made with the version \"\(version)\" of its model, which is newer than this "
                + "program's version \"\(current)\". It was left as it is; update the program."
                + differences.map { "\n  \($0)" }.joined()
        case .migrationRequired(let url, let from, let to):
            "The store \(url.path) has the version \"\(from)\" and would have to be migrated to \"\(to)\". Open it for "
                + "writing, with a configuration that migrates."
        case .migrationObstructed(let url, let object, let reason):
            "The migration of \(url.path) cannot keep \(object), which was added by hand: \(reason). The store was left "
                + "as it was; drop it first, and make it anew afterwards."
        case .recordsHistory(let url):
            "The store \(url.path) records its history, and is migrated by the programs that have its model's classes: open "
                + "it with one of them. It was left as it was."
        case .insufficientSpace(let folder, let needed, let available):
            "The migration needs about \(needed) bytes on the volume of \(folder.path), where \(available) are free. The "
                + "store was left as it was; free some space and try again."
        case .readOnly(let url, let reason): "The store \(url.path) cannot be written: \(reason)."
        case .migrationRefused(let url, let from, let to, let entity, let rowID, let reason):
            "The migration of \(url.path) from \"\(from)\" to \"\(to)\" was refused because of row \(rowID) of "
                + "\(entity): \(reason). The store was left as it was."
        case .invalidMigrationStage(let from, let to, let reason):
            "The migration stage from \"\(from)\" to \"\(to)\" cannot be carried out: \(reason). The store was left as it was."
        case .missingMigrationStage(let url, let from, let to):
            "The migration of \(url.path) from \"\(from)\" to \"\(to)\" needs a custom stage of the program's own, as "
                + "migrationStages in ashlar.json says: open the store with the program's migration plan. It was left as "
                + "it was."
        case .migrationFailed(let url, let from, let to, let error):
            "The migration of \(url.path) from \"\(from)\" to \"\(to)\" failed and was undone. \(error)"
        case .derivedOverflow(let url, let from, let to, let attributes):
            "The migration of \(url.path) from \"\(from)\" to \"\(to)\" was undone: the derived sum "
                + "\(attributes.joined(separator: " or ")) would leave the range of 64-bit integers. Sum up "
                + "floating-point numbers instead."
        case .migrationBrokeReferences(let url, let from, let to, let tables):
            "The migration of \(url.path) from \"\(from)\" to \"\(to)\" was undone: it would leave rows of "
                + "\(tables.joined(separator: ", ")) that refer to missing rows."
        case .invalidValue(let entity, let property, let rowID, let expected):
            "\(entity).\(property) of row \(rowID) does not hold \(expected)."
        case .invalidResult(let entity, let value, let expected):
            "A fetch of \(entity) selects \(value), which in one row is not \(expected)."
        case .invalidDefault(let entity, let property, let value, let type):
            "The model gives \(entity).\(property) the default \(value), which is not a value of \(type). Change the default "
                + "in the model, or the type."
        case .invalidDescription(let entity, let line):
            "The generated code of \(entity) "
                + (line.isEmpty
                    ? "describes too few columns" : "has \"\(line)\" for a column, which Ashlar does not read")
                + ". Generate the code with the version of Ashlar that the program links."
        case .invalidOption(let name, let value, let allowed):
            "The store option \(name) cannot be \(value); it is \(allowed)."
        case .storeInUse(let url):
            "The store \(url.path) is in use in this process. Release its containers and their contexts first, or "
                + "suspend the containers."
        case .locked(let url, let waited, let doing):
            "The store \(url.path) is held by another process, or another container of this one, and was for \(waited) "
                + "(while \(doing)). Nothing was changed; try again"
                + (ExclusiveStore.doings.contains(doing) ? "." : ", or let a longer StoreOptions.busyTimeout wait.")
        case .nestedWriting(let url):
            "The store \(url.path) cannot be written, or read if it is in memory, by the sequence of rows or the progress "
                + "handler of a batch operation. Read and write before the operation or after it."
        case .queryGenerationsUnavailable(let url):
            "The store \(url.path) is in memory, where no earlier state can be read. Keep it in a file to pin contexts."
        case .queryGenerationExpired(let url):
            "The write-ahead log of \(url.path) outgrew pinnedLogLimit, or its container was suspended, and the query "
                + "generation that this context is pinned to was given up. Call setQueryGeneration(from: .current), and refreshAllObjects()."
        case .suspended(let url):
            "The store \(url.path) cannot be read or written while its container is suspended: the operation in progress was undone. "
                + "Do it again after resume()."
        case .damaged(let url, let error):
            "The store \(url.path) is damaged; put a backup in its place. \(error)"
        case .fileExists(let url): "There is a file at \(url.path) already. Choose another place, or replace it."
        case .fileOperationFailed(let url, let doing, let reason): "\(url.path): \(doing) failed: \(reason)"
        case .alteredSchema(let url, let differences):
            "The tables of the store \(url.path) were changed by another program and do not fit the model. Put a backup "
                + "in its place, or change them back." + differences.map { "\n  \($0)" }.joined()
        case .unsafeSchema(let url, let object, let reason):
            "The schema of \(url.path) is not safe: the statement of \(object) was not run, since \(reason). The store was "
                + "left as it was; do not use it unless you trust its origin."
        case .untrustedSchema(let url, let differences):
            "The store \(url.path) is not trusted, and its schema is not the model's. It was left as it was: open it without "
                + "StoreOptions.isUntrusted only if you trust its origin." + differences.map { "\n  \($0)" }.joined()
        case .schemaUpdateRefused(let url, let object, let reason):
            "The schema of \(url.path) was not brought up to date because of \(object): \(reason). The store was left "
                + "as it was."
        case .externalDataInUse(let url):
            "Orphaned files beside the store \(url.path) were not deleted, because others use the store. Try again later."
        case .incompleteExternalData(let url, let problems):
            "The store \(url.path) was not copied, because it lacks large values: \(Self.listed(problems)). Put the folder with "
                + "its large values beside it, or set the values anew; integrityProblems() names their rows. "
                + "replaceStore(at:withStoreFrom:allowingMissingLargeValues:) can copy the rest."
        case .removedWhileOpen(let url):
            "The store \(url.path) was removed or replaced while it was open. Nothing was written, since it would be lost. "
                + "Close the container and open the store again; use destroyStore, moveStore and replaceStore for such things."
        case .migratedWhileOpen(let url, let version):
            "Another program migrated the store \(url.path) to the version \"\(version)\" of its model while it was open. "
                + "Nothing was written. Close the container and open it again with a program that has the version."
        case .pinnedQueryGenerations(let url, let since, let doing):
            "Contexts of this process are pinned to states of the store \(url.path), the oldest since \(since), which keeps "
                + "its log from beginning anew (while \(doing)). Nothing was changed; call setQueryGeneration(from: nil) for "
                + "them, or set pinnedLogLimit."
        case .unknownConfiguration(let url, let name, let model, let known):
            "The model \(model) has no configuration \"\(name)\" for the store \(url.path)"
                + (known.isEmpty ? ", and none at all." : "; it has \(known.joined(separator: ", ")).")
        case .duplicateStore(let url):
            "Two configurations of a container name the store \(url.path). Give each a file of its own."
        case .configurationWithoutEntities(let url, let name):
            "No entity is left for the store \(url.path) of the configuration \"\(name)\": the stores before it hold "
                + "all of its entities. Name it earlier, or leave it out."
        case .dividedHierarchy(let entity, let parent):
            "\(entity) and its parent \(parent) share a table, and the container's configurations put them into different "
                + "stores. Have both in the same configuration of the model."
        case .dividedRelationship(let entity, let relationship, let destination):
            "The relationship \(entity).\(relationship) leads to \(destination), and no store of the container holds both. "
                + "Have both entities in the same configuration of the model, or use a fetched property."
        case .dividedMigration(let url, let from, let to, let entities, let missing):
            "The store \(url.path) cannot be migrated from \"\(from)\" to \"\(to)\": it has "
                + "\(entities.joined(separator: ", ")) without \(missing.joined(separator: ", ")), which belong together "
                + "from then on. It was left as it is; move their objects into one store with the older version first."
        case .objectsOfOtherStore(let url, let entities):
            "The store \(url.path) has objects of \(entities.joined(separator: ", ")), which its configuration does not "
                + "give it. It was left as it is; open it with a configuration that has them, and move or delete them."
        case .tooManyStores(let count, let limit):
            "A container cannot have \(count) stores: SQLite attaches up to \(limit)."
        case .entityWithoutStore(let entity):
            "No store of the container holds \(entity). Add a configuration that has it."
        case .noCommonModel(let classes):
            "\(classes.joined(separator: ", ")) are not classes of one model. Name classes that were generated from the same "
                + "data model, or the model itself: ModelContainer(for: LibraryModel.self)."
        case .singleStoreRequired(let doing):
            "The container has several stores, and \(doing) is for one. Use one of its `stores`, or a container of that "
                + "store alone."
        case .identifiersExhausted(let url, let entity, let range):
            "No \(entity) can be inserted into \(url.path): the store's range of identifiers ends at "
                + "\(range.upperBound), and all are used. Give it another one with `setIdentifierRange(_:)`."
        case .invalidIdentifierRange(let url, let range):
            "The range \(range) is not valid for the identifiers of \(url.path): they are numbers from 1 to "
                + "\(IdentifierRange.limit)."
        case .sqlite(let error, let doing): "\(error) (while \(doing))"
        case .missingObject(let identifier): "There is no object \(identifier) in the store."
        }
    }

    /// The first ten problems, in one line.
    static func listed(_ problems: [String]) -> String {
        problems.prefix(10).joined(separator: "; ") + (problems.count > 10 ? "; and others" : "")
    }
}
