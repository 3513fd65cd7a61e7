import AshlarSQLite
public import SystemFoundation

/// An error of opening, reading or writing a store. The file is as it was.
///
///     do {
///         let container = try ModelContainer(for: PhotoFeedModel.self, at: url)
///     } catch StoreError.newerVersion {
///         alert = "This document needs a newer version of the app."
///     }
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum StoreError: Error, Sendable {
    /// The SQLite library on this machine is older than Ashlar requires.
    ///
    /// Install a newer `libsqlite3`.
    case sqliteTooOld(found: String, needed: String)
    /// The folder of the store does not exist or cannot be written.
    ///
    /// Create the folder first.
    /// ``ModelConfiguration/init(_:configuration:directory:isStoredInMemoryOnly:allowsSave:options:)`` does so.
    case missingFolder(URL)
    /// There is no file, and the configuration does not allow creating one.
    ///
    /// Set ``ModelConfiguration/allowsSave`` to true to create the store.
    case missingFile(URL)
    /// The file cannot be read, for the given reason.
    ///
    /// Check the permissions of the file and its folders.
    case unreadable(URL, reason: String)
    /// The file is no SQLite database.
    ///
    /// It was not changed. Choose another place for the store.
    case notADatabase(URL)
    /// The file is incomplete: only a part of it was copied or written.
    ///
    /// It was not changed. Replace it with a backup; see ``ModelContainer/replaceStore(at:withStoreFrom:)``.
    case truncated(URL, length: UInt64, expected: UInt64)
    /// The file is an SQLite database of another program.
    ///
    /// It was not changed. Choose another place for the store.
    case foreignDatabase(URL)
    /// The file is a store that Core Data or SwiftData wrote. Import it; see ``ModelConfiguration/importing``.
    case coreDataStore(URL)
    /// The store belongs to another model.
    case otherModel(URL, found: String, expected: String)
    /// A newer release of Ashlar wrote the store in a format that this one cannot read.
    ///
    /// Update the program.
    case newerFormat(URL, found: Int, supported: Int)
    /// This program does not have the store's version of the model. The store may be newer than the program.
    case unknownVersion(URL, version: String, differences: [String])
    /// The store's version of the model is newer than the program's.
    ///
    /// It was not changed. Update the program.
    case newerVersion(URL, version: String, current: String, differences: [String])
    /// The store has an older version, and is opened read-only or without ``MigrationOptions/isAutomatic``.
    ///
    /// Open it for writing with a configuration that migrates.
    case migrationRequired(URL, from: String, to: String)
    /// An object that was added to the schema by hand could not be kept in a migration.
    ///
    /// Drop the object, migrate the store, and create it again.
    case migrationObstructed(URL, object: String, reason: String)
    /// The store records its history, so only a program with the model's classes can change its schema.
    ///
    /// Open the store with such a program to migrate it.
    case recordsHistory(URL)
    /// A volume has less free space than a migration is estimated to need.
    ///
    /// Free some space and open the store again. ``MigrationOptions/checksFreeSpace`` turns the check off.
    case insufficientSpace(URL, needed: Int64, available: Int64)
    /// The store must be migrated or written, but its file, its folder or the configuration forbids it.
    case readOnly(URL, reason: String)
    /// An object prevents a migration, for example because it has no value for a required attribute.
    case migrationRefused(URL, from: String, to: String, entity: String, rowID: Int64, reason: String)
    /// A stage of a migration plan is invalid, or did something that no stage may do.
    case invalidMigrationStage(from: String, to: String, reason: String)
    /// The model requires custom code between two versions, and the store was opened without it.
    ///
    /// Open it with the program's migration plan; see ``SchemaMigrationPlan``.
    case missingMigrationStage(URL, from: String, to: String)
    /// A step of a migration failed.
    case migrationFailed(URL, from: String, to: String, error: SQLiteError)
    /// A migration would give a derived attribute such as `Owner.total` a sum of more than 64 bits, and was rolled back.
    case derivedOverflow(URL, from: String, to: String, attributes: [String])
    /// The rows after a migration violate relationships, so the migration was rolled back.
    case migrationBrokeReferences(URL, from: String, to: String, tables: [String])
    /// A column of a row holds no value of its property's type.
    case invalidValue(entity: String, property: String, rowID: Int64, expected: String)
    /// A computed or selected value does not have the expected type, for example after a division by zero.
    case invalidResult(entity: String, value: String, expected: String)
    /// The model's default of an attribute is not a value of its Swift type.
    ///
    /// For example, it is no raw value of an enumeration, or no JSON of a structure. Change the default or the type in
    /// the model.
    case invalidDefault(entity: String, property: String, value: String, type: String)
    /// Generated code describes an entity in a way that this release of Ashlar cannot read.
    ///
    /// The line is empty if one is missing. Generate the code with the release that the program links.
    case invalidDescription(entity: String, line: String)
    /// A setting of ``StoreOptions`` has a value that SQLite does not support.
    case invalidOption(name: String, value: String, allowed: String)
    /// A container of this process has the store open, so its file cannot be removed, moved or replaced.
    ///
    /// The error is also thrown while another call removes, moves or replaces the store. Release its containers and
    /// contexts first, or suspend the containers.
    case storeInUse(URL)
    /// Another connection, usually of another process, held the store for longer than the busy timeout.
    ///
    /// Nothing was changed. Try again, or set a longer ``StoreOptions/busyTimeout``.
    case locked(URL, waited: Duration, doing: String)
    /// The sequence or the progress handler of a batch operation tried to write the store, or to read a store in
    /// memory.
    ///
    /// Only that access failed; the operation continues. Do such work before or after the operation.
    case nestedWriting(URL)
    /// Pages of the store are damaged.
    ///
    /// Replace the store with a backup; see ``ModelContainer/replaceStore(at:withStoreFrom:)``.
    case damaged(URL, SQLiteError)
    /// A store in memory has no earlier states that a context could be pinned to.
    ///
    /// Keep the store in a file to pin contexts.
    case queryGenerationsUnavailable(URL)
    /// The state that a context was pinned to was given up.
    ///
    /// That happens so that the write-ahead log can be reset, and when the container is suspended. Pin the context
    /// again with ``ModelContext/setQueryGeneration(from:)``, and call ``ModelContext/refreshAllObjects()``.
    case queryGenerationExpired(URL)
    /// The container is suspended, or was suspended during the operation, which was rolled back.
    ///
    /// Repeat the operation after ``ModelContainer/resume()``.
    case suspended(URL)
    /// A file exists at the place to which a store should be copied or moved.
    ///
    /// Choose another place, or use ``ModelContainer/replaceStore(at:withStoreFrom:)``.
    case fileExists(URL)
    /// A file of the store could not be copied, renamed or removed.
    case fileOperationFailed(URL, doing: String, reason: String)
    /// The store's tables were changed by hand, so they no longer fit the model.
    ///
    /// Replace the store with a backup, or undo the changes.
    case alteredSchema(URL, differences: [String])
    /// The text of an object in the store's schema is not a single statement that creates the object.
    ///
    /// SQLite would execute such a text, so it may have been written to do harm. It was not executed.
    case unsafeSchema(URL, object: String, reason: String)
    /// The store was opened as untrusted, see ``StoreOptions/isUntrusted``, and its schema is not that of the model.
    ///
    /// Open it without that option only if you know its origin.
    case untrustedSchema(URL, differences: [String])
    /// The store's rows violate a newer schema of the model, for example a uniqueness constraint.
    case schemaUpdateRefused(URL, object: String, reason: String)
    /// Others read or write the store, so the required files beside it cannot be determined.
    ///
    /// Nothing was deleted. Try again later.
    case externalDataInUse(URL)
    /// Files of large values are missing or incomplete, so the store was not copied.
    ///
    /// Set the values again; ``ModelContainer/integrityProblems()`` names their rows.
    case incompleteExternalData(URL, problems: [String])
    /// The store's file was removed or replaced while it was open. Nothing was written.
    ///
    /// Release the container and open the store again. Use ``ModelContainer/destroyStore(at:)``,
    /// ``ModelContainer/moveStore(from:to:)`` and ``ModelContainer/replaceStore(at:withStoreFrom:)`` for such
    /// operations.
    case removedWhileOpen(URL)
    /// Another program migrated the store to another version while it was open. Nothing was written.
    ///
    /// Release the container, and open it with a program that has the version.
    case migratedWhileOpen(URL, version: String)
    /// Contexts of this process are pinned to states of the store, the oldest of which was read at the given time.
    ///
    /// Call ``ModelContext/setQueryGeneration(from:)`` with nil for them, or set ``StoreOptions/pinnedLogLimit``.
    case pinnedQueryGenerations(URL, since: Date, doing: String)
    /// The model has no configuration of the name in a ``ModelConfiguration``.
    case unknownConfiguration(URL, name: String, model: String, known: [String])
    /// A container has two stores in one file.
    ///
    /// Give each configuration a file of its own.
    case duplicateStore(URL)
    /// All entities of a store's configuration are already in earlier stores of the container.
    ///
    /// Place the configuration earlier, or leave it out.
    case configurationWithoutEntities(URL, name: String)
    /// The configurations of a container put an entity and its parent, which share a table, into different stores.
    ///
    /// Put both into the same configuration of the model.
    case dividedHierarchy(entity: String, parent: String)
    /// The configurations of a container put the two ends of a relationship into different stores.
    ///
    /// Put both entities into the same configuration of the model, or use a fetched property.
    case dividedRelationship(entity: String, relationship: String, destination: String)
    /// A store cannot be migrated, because it lacks entities that a later version relates to its own.
    ///
    /// Move their objects into one store with the older version first.
    case dividedMigration(URL, from: String, to: String, entities: [String], missing: [String])
    /// A store has objects of entities that its configuration does not include.
    ///
    /// Open it with a configuration that includes them, and move or delete the objects.
    case objectsOfOtherStore(URL, entities: [String])
    /// A container has more stores than SQLite can attach.
    case tooManyStores(count: Int, limit: Int)
    /// No store of the container holds the entity.
    ///
    /// Add a configuration that includes it.
    case entityWithoutStore(String)
    /// The classes belong to no model or to several; a container has one.
    ///
    /// Give classes that were generated from the same model, or the model itself: `ModelContainer(for:
    /// LibraryModel.self)`.
    case notOneModel([String])
    /// A container with several stores was asked for something that only one store can do.
    ///
    /// Use one of ``ModelContainer/stores``.
    case severalStores(doing: String)
    /// All numbers of the range of ``PersistentStore/setIdentifierRange(_:)`` are used in the table of an entity.
    ///
    /// Give the store another range.
    case identifiersExhausted(URL, entity: String, ClosedRange<Int64>)
    /// A range of identifiers contains numbers that no row may have.
    ///
    /// Identifiers are numbers from 1 to 2⁶².
    case invalidIdentifierRange(URL, ClosedRange<Int64>)
    /// SQLite failed during an operation.
    case sqlite(SQLiteError, doing: String)
    /// The store does not have the object of an identifier.
    case missingObject(PersistentIdentifier)
}

extension StoreError {
    /// Creates the store's error for an error of SQLite.
    package init(_ error: SQLiteError, _ url: URL, doing: String, waited: Duration = .seconds(5)) {
        switch error.code {
        case SQLITE_NOTADB: self = .notADatabase(url)
        case SQLITE_CORRUPT: self = .damaged(url, error)
        case SQLITE_BUSY: self = .locked(url, waited: waited, doing: doing)
        case SQLITE_AUTH: self = .unsafeSchema(url, object: "its objects", reason: "\(error)")
        default: self = .sqlite(error, doing: "\(doing): \(url.path)")
        }
    }
}

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
            "\(url.path) is a store that Core Data or SwiftData wrote. Import it with ModelConfiguration(url:importing:), or with "
                + "ashlar import."
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
            "The store \(url.path) is of the version \"\(from)\" and would have to be migrated to \"\(to)\". Open it for "
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
            "The model gives \(entity).\(property) the default \(value), which is no value of \(type). Change the default "
                + "in the model, or the type."
        case .invalidDescription(let entity, let line):
            "The generated code of \(entity) "
                + (line.isEmpty
                    ? "describes too few columns" : "has \"\(line)\" for a column, which Ashlar does not read")
                + ". Generate the code with the version of Ashlar that the program links."
        case .invalidOption(let name, let value, let allowed):
            "The store option \(name) cannot be \(value); it is \(allowed)."
        case .storeInUse(let url):
            "The store \(url.path) is in use in this process. Let go of its containers and their contexts first, or "
                + "suspend the containers."
        case .locked(let url, let waited, let doing):
            "The store \(url.path) is held by another process, or another container of this one, and was for \(waited) "
                + "(while \(doing)). Nothing was changed; try again"
                + (ExclusiveStore.doings.contains(doing) ? "." : ", or let a longer StoreOptions.busyTimeout wait.")
        case .nestedWriting(let url):
            "The store \(url.path) cannot be written, or read where it is in memory, by what a batch operation calls while it "
                + "writes: its sequence of rows, or its progress handler. Do so before it, or after it."
        case .queryGenerationsUnavailable(let url):
            "The store \(url.path) is in memory, where no earlier state can be read. Keep it in a file to pin contexts."
        case .queryGenerationExpired(let url):
            "The write-ahead log of \(url.path) outgrew pinnedLogLimit, or its container was suspended, and the query "
                + "generation that this context is pinned to was given up. Call setQueryGeneration(from: .current), and refreshAllObjects() for what it has."
        case .suspended(let url):
            "The store \(url.path) cannot be read or written while its container is suspended: what was being done was undone. "
                + "Do it again after resume()."
        case .damaged(let url, let error):
            "The store \(url.path) is damaged; put a backup in its place. \(error)"
        case .fileExists(let url): "There is a file at \(url.path) already. Choose another place, or replace it."
        case .fileOperationFailed(let url, let doing, let reason): "\(url.path): \(doing) failed: \(reason)"
        case .alteredSchema(let url, let differences):
            "The tables of the store \(url.path) were changed by another program and do not fit the model. Put a backup "
                + "in its place, or change them back." + differences.map { "\n  \($0)" }.joined()
        case .unsafeSchema(let url, let object, let reason):
            "The schema of \(url.path) is not safe: what it says of \(object) was not run, since \(reason). The store was "
                + "left as it was; do not use it unless you know who made it."
        case .untrustedSchema(let url, let differences):
            "The store \(url.path) is not trusted, and its schema is not the model's. It was left as it was: open it without "
                + "StoreOptions.isUntrusted only if you know who made it." + differences.map { "\n  \($0)" }.joined()
        case .schemaUpdateRefused(let url, let object, let reason):
            "The schema of \(url.path) was not brought up to date because of \(object): \(reason). The store was left "
                + "as it was."
        case .externalDataInUse(let url):
            "Orphaned files beside the store \(url.path) were not deleted, because others use the store. Try again later."
        case .incompleteExternalData(let url, let problems):
            "No whole copy of the store \(url.path) can be made, because large values of it are damaged: "
                + "\(problems.prefix(10).joined(separator: "; "))\(problems.count > 10 ? "; and others" : ""). Set them "
                + "anew; integrityProblems() names their rows."
        case .removedWhileOpen(let url):
            "The store \(url.path) was removed or replaced while it was open. Nothing was written, since it would be lost. "
                + "Close the container and open the store again; use destroyStore, moveStore and replaceStore for such things."
        case .migratedWhileOpen(let url, let version):
            "Another program migrated the store \(url.path) to the version \"\(version)\" of its model while it was open. "
                + "Nothing was written. Close the container and open it again with a program that knows the version."
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
        case .notOneModel(let classes):
            "\(classes.joined(separator: ", ")) are not classes of one model. Name classes that were generated from the same "
                + "data model, or the model itself: ModelContainer(for: LibraryModel.self)."
        case .severalStores(let doing):
            "The container has several stores, and \(doing) is for one. Use one of its `stores`, or a container of that "
                + "store alone."
        case .identifiersExhausted(let url, let entity, let range):
            "No \(entity) can be inserted into \(url.path): the store's range of identifiers ends at "
                + "\(range.upperBound), and all are used. Give it another one with `setIdentifierRange(_:)`."
        case .invalidIdentifierRange(let url, let range):
            "The range \(range) is none for the identifiers of \(url.path): they are numbers from 1 to "
                + "\(IdentifierRange.limit)."
        case .sqlite(let error, let doing): "\(error) (while \(doing))"
        case .missingObject(let identifier): "There is no object \(identifier) in the store."
        }
    }
}
