import Foundation

/// The contents of a database file: its program, its tables and indexes, and its state.
///
/// It describes any SQLite file, with or without a model. Unknown facts are nil, and ``problems`` gives the reasons.
package struct StoreInspection: Sendable, Encodable {
    /// The program that wrote a file.
    package enum Kind: String, Sendable, Encodable {
        case ashlar, coreData
        /// Of Core Data's form, and probably SwiftData's: with a history, as SwiftData always keeps one, of a release that has
        /// SwiftData, and with a version of three numbers.
        case swiftData
        /// Another SQLite file.
        case sqlite
        /// A file without a byte, or a database without a table.
        case empty
    }

    /// An entity, with the objects that belong to it and not to an entity below it.
    package struct Entity: Sendable, Encodable {
        package var name: String
        /// The name of the parent entity; nil for a root, and if the file does not contain it.
        package var parent: String?
        /// The table of its objects; nil if it has none, or if the file does not contain it.
        package var table: String?
        /// The number of objects; nil if they could not be counted.
        package var rows: Int64?
        /// The bytes of the table, with those of all entities in it; nil if another entity has them.
        package var bytes: Int64?
    }

    /// A table.
    package struct Table: Sendable, Encodable {
        /// The purpose of a table.
        package enum Role: String, Sendable, Encodable {
            case objects, pairs, rtree, fullText, history
            /// A table that the file's program uses internally.
            case `internal`
            case other
        }

        package var name: String
        package var role: Role
        package var rows: Int64?
        /// The bytes of its pages, with those of the tables that a virtual table keeps for itself.
        package var bytes: Int64?
        /// The part of ``bytes`` that is in overflow pages, which hold only the rest of a large value.
        package var overflowBytes: Int64?
    }

    /// An index.
    package struct Index: Sendable, Encodable {
        package var name: String
        package var table: String
        /// The columns; an expression has no name.
        package var columns: [String?]
        package var isUnique: Bool
        package var bytes: Int64?
        /// The number of recorded statements that use it; nil if none were given.
        package var recordedStatements: Int?
        /// The number of runs of those statements.
        package var recordedRuns: Int?
    }

    /// The persistent history.
    package struct History: Sendable, Encodable {
        package var transactions: Int64
        package var changes: Int64
        package var first: Date?
        package var last: Date?
        package var bytes: Int64?
    }

    /// The files of large values beside the store.
    package struct ExternalData: Sendable, Encodable {
        package var folder: String
        package var files: Int
        package var bytes: Int64
        package var largest: Int64?
    }

    /// The pages of the file.
    package struct Pages: Sendable, Encodable {
        package var size: Int64
        package var count: Int64
        package var free: Int64
    }

    /// The write-ahead log beside the file.
    package struct Log: Sendable, Encodable {
        /// `wal` or `rollback`.
        package var mode: String
        /// The bytes of the write-ahead log; nil if there is none.
        package var bytes: Int64?
        /// The pages in it.
        package var frames: Int64?
        /// Whether a program was killed while it wrote the file. The file is read as it was before.
        package var hasRollbackJournal: Bool
    }

    /// The results of SQLite's own checks.
    package struct Integrity: Sendable, Encodable {
        package var isSound: Bool
        /// The first problems.
        package var findings: [String]
    }

    package var kind: Kind
    package var bytes: Int64
    package var identifier: String?
    package var modelName: String?
    package var modelVersion: String?
    /// The author's names of a Core Data model's version.
    package var versionIdentifiers: [String]?
    /// The number of the release of Core Data that wrote the metadata.
    package var frameworkVersion: Int?
    /// The names of the program's own entries in the metadata.
    package var userKeys: [String]?
    package var entities: [Entity] = []
    package var tables: [Table] = []
    package var indexes: [Index] = []
    package var views: [String] = []
    package var triggers: Int = 0
    package var history: History?
    package var externalData: ExternalData?
    package var pages: Pages?
    package var log: Log?
    package var integrity: Integrity?
    /// Whether SQLite's checks found something, or something could not be read because of damage.
    package var isDamaged = false
    /// The number of recorded statements that SQLite rejects for this file.
    package var failedStatements: Int?
    /// The facts that could not be determined, with the reasons.
    package var problems: [String] = []

    init(kind: Kind, bytes: Int64) {
        self.kind = kind
        self.bytes = bytes
    }
}
