import ArgumentParser
import Ashlar
import AshlarCoreData
import AshlarImport
import AshlarSQLite
import CachedModels
import DataModel
import FileErrors
import Foundation
import GeneratorPipeline
import ModelFormat
import PlannedModel
import StoreExchange

struct Dump: ParsableCommand {
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case json, csv, sql

        var form: StoreDump.Format {
            switch self {
            case .json: .json
            case .csv: .csv
            case .sql: .sql
            }
        }
    }

    static let configuration = CommandConfiguration(
        abstract: "Writes the objects of a store as JSON, CSV or SQL.",
        discussion: """
            The store is only read. Objects are written one after the other, so that there may be any number of them; \
            `ashlar load` reads them again. A store that Core Data or SwiftData wrote is imported into a temporary one \
            first. Ends with status 0 when all was written, 1 when the model has errors, 3 or 4 when the store cannot be \
            read, 64 when the tool was called wrongly, 73 or 74 when the text cannot be written.

            swift run ashlar dump Feed.store --entity Post --where 'likes > 10' --by Author.name
            """)

    @OptionGroup var arguments: ExchangeArguments

    @Option(help: "An entity, with those below it; all when left out.")
    var entity: [String] = []

    @Option(
        name: .customLong("where"),
        help: ArgumentHelp("Which objects, in the language of Core Data's NSPredicate.", valueName: "format"))
    var condition: String?

    @Option(help: "What is written.")
    var format = Format.json

    @Option(help: "The file to write; standard output when left out.")
    var output: String?

    @Option(
        help: ArgumentHelp(
            "A folder for values that are in files beside the store; else they stand among the others.",
            valueName: "folder"))
    var largeValues: String?

    func validate() throws {
        if condition != nil, entity.count != 1 { throw ValidationError("--where is about one --entity.") }
        if format == .csv, entity.count != 1 { throw ValidationError("CSV needs one --entity.") }
        if format == .sql, !arguments.by.isEmpty { throw ValidationError("In SQL references are numbers.") }
    }

    func run() throws {
        if try ModelContainer.isCoreDataStore(at: arguments.url) { return try dumpOldStore() }
        let metadata = try ModelContainer.metadata(ofStoreAt: arguments.url)
        try dump(arguments.url, arguments.version(of: metadata))
    }

    /// Writes the objects of a Core Data store, for which a temporary store of Ashlar is made.
    private func dumpOldStore() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "ashlar-dump-\(UUID().uuidString)")
        try FileFailure.catching("make the folder", folder.path) {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = try arguments.model ?? keptModel(in: folder)
        let plan = try arguments.plan(ofModelAtPath: path)
        let copy = folder.appending(path: "copy.store")
        let printer = ProgressPrinter()
        do {
            _ = try ModelContainer.importStore(
                StoreImport(url: arguments.url), to: copy, for: ModelDescription(plan), migration: MigrationOptions()
            ) { printer.tell($0) }
        } catch {
            try printer.finish()
            throw error
        }
        try printer.finish()
        try dump(copy, arguments.found(plan, plan.versions.count - 1))
    }

    /// The model that a store of Core Data's keeps beside its data.
    private func keptModel(in folder: URL) throws -> String {
        guard let bytes = try ModelContainer.cachedModel(ofStoreAt: arguments.url) else {
            throw ValidationError("The store keeps no model: name one with --model.")
        }
        let model: CachedModel
        do {
            model = try CachedModel(bytes)
        } catch {
            throw ValidationError("\(error): name the model with --model.")
        }
        _ = try FileFailure.catching("make the model in", folder.path) {
            try ModelBundleEditor.makeModel(named: "Kept", inFolder: folder.path, contents: model.document)
        }
        return folder.appending(path: "Kept.xcdatamodeld").path
    }

    private func dump(_ url: URL, _ found: ExchangeArguments.Found) throws {
        let keys = try arguments.keys()
        let names = entity.isEmpty ? found.version.roots(referringBy: keys) : entity
        let selections = try names.map { name in
            StoreDump.Selection(entity: name, identifiers: try condition.map { try identifiers($0, name, found) })
        }
        let large: StoreDump.LargeValues
        if let largeValues {
            let folder = URL(fileURLWithPath: largeValues)
            try FileFailure.catching("make the folder", largeValues) {
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            }
            large = .beside(folder)
        } else {
            large = .inside
        }
        let dump = try StoreDump(found.version, as: format.form, keys: keys, largeValues: large)
        let file = try UnchangedFile(url, copyingInto: FileManager.default.temporaryDirectory)
        let printer = CountPrinter("objects")
        do {
            if let output {
                try write(dump, selections, file, to: OutputFile(output, apartFrom: arguments.url), printer)
            } else {
                try dump.run(selections, from: file) {
                    try CommandOutput.results.write(bytes: $0)
                } progress: {
                    try printer.tell($0, of: $1)
                }
            }
        } catch let error as SQLiteError {
            try printer.finish()
            throw StoreError(error, url, doing: "writing its objects")
        } catch {
            try printer.finish()
            throw error
        }
        try printer.finish()
    }

    private func write(
        _ dump: StoreDump, _ selections: [StoreDump.Selection], _ file: UnchangedFile, to output: OutputFile,
        _ printer: CountPrinter
    ) throws {
        do {
            try dump.run(selections, from: file) {
                try output.write($0)
            } progress: {
                try printer.tell($0, of: $1)
            }
            try output.finish()
        } catch {
            output.discard()
            throw error
        }
    }

    private func identifiers(
        _ condition: String, _ name: String, _ found: ExchangeArguments.Found
    ) throws -> BoundStatement {
        let graph = found.schema.graph
        let described = ModelDescription.describing(found.schema)
        guard let entity = described.entity(named: name) else {
            throw ExchangeError("There is no entity \(name). There are \(found.version.names.joined(separator: ", ")).")
        }
        let resolution = graph.predicate(of: FetchRequest(name: "dump", entityName: name, predicate: condition))
        if let error = resolution?.errors.first { throw ValidationError("--where, character \(error)") }
        guard let resolution, resolution.variableNames.isEmpty, resolution.arguments.isEmpty else {
            throw ValidationError("--where has no values for variables and placeholders: write them in the text.")
        }
        do {
            return try FetchTemplate(
                model: described, entity: entity, condition: resolution.root, limit: nil, includesSubentities: true
            ).identifiers()
        } catch {
            throw ValidationError("--where: \(error)")
        }
    }
}
