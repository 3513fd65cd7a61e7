import DataModel
import FileErrors
public import Foundation
import RelationalSchema
import SchemaMigration

/// The SQL of a model as files, which people commit and review: the schema of the current version, and the migration
/// from each version to the next.
public struct SQLFiles: Sendable {
    /// A difference between a folder and the SQL files.
    public enum Difference: Sendable, Hashable {
        case missing(URL)
        case stale(URL)
        /// The file belongs to a version that no longer exists.
        case superfluous(URL)

        public var url: URL {
            switch self {
            case .missing(let url), .stale(let url), .superfluous(let url): url
            }
        }
    }

    /// The texts by the files' names.
    public let texts: [String: String]
    /// The folder within the one that is given, which has the model's name.
    private let folderName: String

    /// The first line of every file, by which files of removed versions are recognized.
    private static let mark = "-- Made by `ashlar sql`"

    /// Makes the files of a model.
    public init(_ plan: ModelPlan) {
        folderName = plan.name
        var texts: [String: String] = [:]
        let current = plan.versions.last?.name ?? ""
        texts["schema.sql"] =
            "\(Self.mark) from version '\(current)'. Change the model, not this file.\n\n"
            + plan.schema.statements.map { "\($0);\n" }.joined(separator: "\n")
        for index in plan.versions.indices.dropFirst() {
            let names = (plan.versions[index - 1].name, plan.versions[index].name)
            texts["\(names.0) to \(names.1).sql"] =
                "\(Self.mark) from versions '\(names.0)' and '\(names.1)'. Change the model, not this file.\n--\n"
                + plan.migrationText(to: index)
        }
        self.texts = texts
    }

    /// Returns the differences between the SQL files and those in a folder, without writing.
    ///
    /// - Throws: an error of the file system when a file is there and cannot be read.
    public func differences(from folder: URL) throws -> [Difference] {
        let folder = folder.appending(path: folderName)
        var differences: [Difference] = []
        for (name, text) in texts.sorted(by: { $0.key < $1.key }) {
            let url = folder.appending(path: name)
            if !FileManager.default.fileExists(atPath: url.path) {
                differences.append(.missing(url))
            } else if try RegularFile.bytes(atPath: url.path) != Data(text.utf8) {
                differences.append(.stale(url))
            }
        }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        for name in names.sorted() where name.hasSuffix(".sql") && texts[name] == nil {
            let url = folder.appending(path: name)
            if try RegularFile.bytes(atPath: url.path).starts(with: Data(Self.mark.utf8)) {
                differences.append(.superfluous(url))
            }
        }
        return differences
    }

    /// Writes the files that differ, and removes those of versions that no longer exist.
    ///
    /// - Returns: The changes that were made.
    /// - Throws: an error of the file system.
    @discardableResult
    public func write(to folder: URL) throws -> [Difference] {
        let differences = try differences(from: folder)
        try FileManager.default.createDirectory(
            at: folder.appending(path: folderName), withIntermediateDirectories: true)
        for difference in differences {
            if case .superfluous(let url) = difference {
                try FileManager.default.removeItem(at: url)
            } else if let text = texts[difference.url.lastPathComponent] {
                try Data(text.utf8).write(to: difference.url, options: .atomic)
            }
        }
        return differences
    }
}

extension ModelPlan {
    /// The migration to a version from the one before, as a script for the `sqlite3` shell with its steps as comments.
    public func migrationText(to index: Int) -> String {
        let migration = versions[index].migration
        var lines = steps[index].map { "-- \($0)" }
        if migration.isEmpty {
            lines.append("-- Nothing in the store changes.")
            return lines.joined(separator: "\n") + "\n"
        }
        lines += [
            "--", "-- A program does all steps of a chain in one transaction and notes the version in the store.", "",
            "PRAGMA foreign_keys = OFF;", "BEGIN IMMEDIATE;", "",
        ]
        for statement in migration {
            switch statement.purpose {
            case .change: break
            case .check(let reason, _): lines.append("-- must give no row: \(reason)")
            case .custom(let location):
                let file = location.file.split(separator: "/").last ?? ""
                lines.append("-- from \(file), line \(location.line)")
            }
            lines += [statement.sql + ";", ""]
        }
        lines += ["-- must give no row", "PRAGMA foreign_key_check;", "COMMIT;"]
        return lines.joined(separator: "\n") + "\n"
    }
}
