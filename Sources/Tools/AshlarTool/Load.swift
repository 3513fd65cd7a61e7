import ArgumentParser
import Ashlar
import AshlarSQLite
import FileErrors
import Foundation
import PlannedModel
import StoreChecking
import StoreExchange

struct Load: ParsableCommand {
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case json, csv
    }

    static let configuration = CommandConfiguration(
        abstract: "Loads objects that `ashlar dump` wrote, or that have its format, into a store.",
        discussion: """
            All are loaded in one transaction, or none is. A store that is not there is made, where --model names its \
            model; one that is must be of the model's current version. Ends with status 0 when all was loaded, 1 when \
            the model has errors, 2 when the store has an older version, 3 when an object does not fit, 4 when the \
            store cannot be written, 64 when the tool was called wrongly, and 66 when the text cannot be read.

            swift run ashlar load Feed.store posts.json
            """)

    @OptionGroup var arguments: ExchangeArguments

    @Argument(help: "The file to read; standard input when left out.")
    var file: String?

    @Option(help: "The entity of objects that do not say theirs.")
    var entity: String?

    @Option(help: "What is read.")
    var format = Format.json

    @Option(help: ArgumentHelp("The folder with the large values that `ashlar dump` wrote.", valueName: "folder"))
    var largeValues: String?

    func run() throws {
        if FileManager.default.fileExists(atPath: arguments.store) { return try load(into: existing()) }
        guard let model = arguments.model else {
            throw ValidationError("There is no store \(arguments.store). To have it made, name its model with --model.")
        }
        let plan = try arguments.plan(ofModelAtPath: model)
        try ModelContainer.makeStore(at: arguments.url, for: ModelDescription(plan))
        do {
            try load(into: arguments.found(plan, plan.versions.count - 1))
        } catch {
            // It did not exist before.
            try? ModelContainer.destroyStore(at: arguments.url)
            throw error
        }
    }

    private func existing() throws -> ExchangeArguments.Found {
        let metadata = try ModelContainer.metadata(ofStoreAt: arguments.url)
        let found = try arguments.version(of: metadata)
        if found.isCurrent { return found }
        try printError(
            "The store has the version \"\(metadata.versionName)\". Bring it up to date with `ashlar migrate`.")
        throw ExitCode(StoreStatus.isNotCurrent.rawValue)
    }

    private func load(into found: ExchangeArguments.Found) throws {
        let handle: FileHandle
        do {
            handle = try file.map { try FileHandle(forReadingFrom: URL(fileURLWithPath: $0)) } ?? .standardInput
        } catch {
            try printError("\(file ?? "") cannot be read: \(FileErrorReason.text(error))")
            throw ExitCode(66)
        }
        let read = { () throws -> Data in
            do {
                return try handle.read(upToCount: 1 << 16) ?? Data()
            } catch {
                try printError("\(file ?? "Standard input") cannot be read: \(FileErrorReason.text(error))")
                throw ExitCode(66)
            }
        }
        let printer = CountPrinter("objects")
        let count: Int
        do {
            let load = try StoreLoad(
                found.version, at: arguments.url, keys: arguments.keys(),
                folder: largeValues.map { URL(fileURLWithPath: $0) },
                rules: CheckedModel(StoreModel(found.plan, found.position)))
            switch format {
            case .json:
                var objects = JSONObjects(read)
                count = try load.run(&objects, entity: entity) { try printer.tell(Int64($0), of: nil) }
            case .csv:
                var objects = CSVObjects(read)
                count = try load.run(&objects, entity: entity) { try printer.tell(Int64($0), of: nil) }
            }
        } catch let error as SQLiteError {
            try printer.finish()
            throw StoreError(error, arguments.url, doing: "loading objects")
        } catch {
            try printer.finish()
            throw error
        }
        try printer.finish()
        try CommandOutput.results.write(line: "\(counted(count, "object", "objects")) loaded.")
    }
}
