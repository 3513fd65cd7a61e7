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
    /// The file is not an SQLite database.
    ///
    /// It was not changed. Choose another place for the store.
    case notADatabase(URL)
    /// The file is incomplete: only a part of it was copied or written.
    ///
    /// It was not changed. Replace it with a backup; see ``ModelContainer/replaceStore(at:withStoreFrom:allowingMissingLargeValues:)``.
    case truncated(URL, length: UInt64, expected: UInt64)
    /// The file is an SQLite database of another program.
    ///
    /// It was not changed. Choose another place for the store.
    case foreignDatabase(URL)
    /// The file is a store that Core Data or SwiftData wrote. Import it with the product `AshlarImport`.
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
    /// For example, it is not a raw value of the enumeration, or not JSON of the structure. Change the default or the
    /// type in the model.
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
    /// Replace the store with a backup; see ``ModelContainer/replaceStore(at:withStoreFrom:allowingMissingLargeValues:)``.
    case damaged(URL, SQLiteError)
    /// A store in memory has no earlier states that a context could be pinned to.
    ///
    /// Keep the store in a file to pin contexts.
    case queryGenerationsUnavailable(URL)
    /// The state that a context was pinned to was given up.
    ///
    /// This happens so that the write-ahead log can be reset, and when the container is suspended. Pin the context
    /// again with ``ModelContext/setQueryGeneration(from:)``, and call ``ModelContext/refreshAllObjects()``.
    case queryGenerationExpired(URL)
    /// The container is suspended, or was suspended during the operation, which was rolled back.
    ///
    /// Repeat the operation after ``ModelContainer/resume()``.
    case suspended(URL)
    /// A file exists at the place to which a store should be copied or moved.
    ///
    /// Choose another place, or use ``ModelContainer/replaceStore(at:withStoreFrom:allowingMissingLargeValues:)``.
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
    /// The store's rows violate the schema of the model, for example a unique index that was dropped by hand.
    case schemaUpdateRefused(URL, object: String, reason: String)
    /// Others read or write the store, so the required files beside it cannot be determined.
    ///
    /// Nothing was deleted. Try again later.
    case externalDataInUse(URL)
    /// Files of large values are missing or incomplete, so the store was not copied.
    ///
    /// Put the folder with the large values beside the store, or set the values again:
    /// ``ModelContainer/integrityProblems()`` names their rows.
    case incompleteExternalData(URL, problems: [String])
    /// The store's file was removed or replaced while it was open. Nothing was written.
    ///
    /// Put the file back or restore a backup first: opening a missing file creates an empty store. Then release the
    /// container and open the store again. Use ``ModelContainer/destroyStore(at:)``,
    /// ``ModelContainer/moveStore(from:to:)`` and
    /// ``ModelContainer/replaceStore(at:withStoreFrom:allowingMissingLargeValues:)`` for such operations.
    case removedWhileOpen(URL)
    /// Another program migrated the store to another version while it was open. Nothing was written.
    ///
    /// Release the container, and open it with a program that has the version.
    case migratedWhileOpen(URL, version: String)
    /// Contexts of this process are pinned to earlier states of the store. The date is that of the oldest state.
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
    case noCommonModel([String])
    /// A container with several stores was asked for something that only one store can do.
    ///
    /// Use one of ``ModelContainer/stores``.
    case singleStoreRequired(doing: String)
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
