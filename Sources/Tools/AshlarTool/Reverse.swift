import ArgumentParser
import Ashlar
import AshlarImport
import AshlarSQLite
import DataModel
import Foundation
import GeneratorPipeline
import ModelFormat
import PlannedModel
import StoreExchange
import StoreReversal

struct Reverse: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Makes a model for a database that has none, and a store with its rows.",
        discussion: """
            Tables become entities, references relationships, tables of pairs relationships to many, unique indexes \
            uniqueness constraints, and R-trees indexes. The parts that no model can have are listed. The file is only \
            read. Ends with status 0 when the model was made, 3 when the rows do not fit or the file is not a database, 4 \
            when it cannot be read, 64 when the tool was called wrongly, and 73 when a file cannot be written.

            swift run ashlar reverse old.sqlite --to Models/Old.xcdatamodeld --import Old.store
            """)

    @Argument(help: "The path of the database's file.")
    var file: String

    @Option(
        name: .customLong("to"),
        help: ArgumentHelp("The model to make; printed when left out.", valueName: "path.xcdatamodeld"))
    var target: String?

    @Option(name: .customLong("import"), help: ArgumentHelp("The store to make of the rows.", valueName: "store"))
    var newStore: String?

    @OptionGroup var report: ReportArguments

    func validate() throws {
        if let target, !target.hasSuffix(".xcdatamodeld") {
            throw ValidationError("A model's name ends with .xcdatamodeld.")
        }
        if newStore != nil, target == nil { throw ValidationError("--import goes with --to.") }
    }

    func run() throws {
        let url = URL(fileURLWithPath: file)
        if try ModelContainer.isCoreDataStore(at: url) {
            throw ValidationError("\(file) is a store of Core Data's: use `ashlar import --make-model`.")
        }
        if let metadata = try? ModelContainer.metadata(ofStoreAt: url) {
            throw ValidationError("\(file) is a store of the model \"\(metadata.modelName)\" already.")
        }
        let database = try ReversedDatabase(url)
        let model = database.model
        if model.isEmpty {
            try printError("\(file) has no table to make an entity of.")
            throw ExitCode(StoreStatus.isRefused.rawValue)
        }
        guard let target else { return try tell(model, imported: nil) }
        let place = URL(fileURLWithPath: target)
        // Before there are rows to import.
        if FileManager.default.fileExists(atPath: target) { throw ModelEditingError.exists(target) }
        let imported = try newStore.map { try importRows(of: database, to: URL(fileURLWithPath: $0), model, place) }
        do {
            _ = try makeModel(model, at: place)
        } catch {
            // A second try would find it in its way.
            if let newStore { try? ModelContainer.destroyStore(at: URL(fileURLWithPath: newStore)) }
            throw error
        }
        try tell(model, imported: imported)
    }

    private func makeModel(_ model: ReversedModel, at place: URL) throws -> String {
        try FileFailure.catching("make the model", place.path) {
            try ModelBundleEditor.makeModel(
                named: place.deletingPathExtension().lastPathComponent,
                inFolder: place.deletingLastPathComponent().path, contents: model.document)
        }
    }

    /// Makes a store of the rows beside its final place, so that it appears when it is complete. An interrupted import
    /// leaves nothing at that place.
    private func importRows(
        of database: ReversedDatabase, to url: URL, _ model: ReversedModel, _ place: URL
    ) throws -> Int {
        if FileManager.default.fileExists(atPath: url.path) { throw StoreError.fileExists(url) }
        let folder = FileManager.default.temporaryDirectory.appending(path: "ashlar-reverse-\(UUID().uuidString)")
        try FileFailure.catching("make the folder", folder.path) {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = try makeModel(model, at: folder.appending(path: place.lastPathComponent))
        let part = URL(fileURLWithPath: url.path + ".part-\(UUID().uuidString)")
        do {
            let count = try importRows(of: database, to: part, model: path)
            // No connection is open, so all data is in the one file.
            if FileManager.default.fileExists(atPath: part.path + "-wal") {
                try ModelContainer.moveStore(from: part, to: url)
            } else {
                try FileFailure.catching("make the store", url.path) {
                    try FileManager.default.moveItem(at: part, to: url)
                }
            }
            return count
        } catch {
            try? ModelContainer.destroyStore(at: part)
            throw error
        }
    }

    private func importRows(of database: ReversedDatabase, to url: URL, model path: String) throws -> Int {
        let (plan, found) = ModelPlan.make(modelPath: path)
        var errors = Diagnostics()
        for finding in found.all where finding.severity == .error { errors.report(finding) }
        try printFindings(errors)
        guard let plan else { throw ExitCode(1) }
        let description = ModelDescription(plan)
        guard let entities = description.storedEntities()?.last else {
            throw ExchangeError("The model does not describe its versions.")
        }
        try ModelContainer.makeStore(at: url, for: description)
        let printer = CountPrinter("rows")
        do {
            let load = try StoreLoad(ExchangedVersion(entities), at: url)
            var objects = database.objects
            let all = database.model.tables.reduce(0) { $0 + $1.rows }
            let count = try load.run(&objects, entity: nil) { try printer.tell(Int64($0), of: all) }
            try printer.finish()
            return count
        } catch {
            try? printer.finish()
            // It did not exist before.
            try? ModelContainer.destroyStore(at: url)
            if let error = error as? SQLiteError { throw StoreError(error, url, doing: "importing rows") }
            throw error
        }
    }

    private func tell(_ model: ReversedModel, imported: Int?) throws {
        var findings: [String] = []
        if target == nil {
            let (read, diagnostics) = ModelReader.read(
                contents: Array(model.document.utf8), named: "Reversed", file: "the model")
            var all = diagnostics
            if let read { all.report(contentsOf: ModelChecker.check(read)) }
            findings = all.sorted.filter { $0.severity == .error }.map(\.message)
        }
        if report.format == .json {
            return try CommandOutput.results.write(
                json: Report(
                    model: target, document: target == nil ? model.document : nil,
                    entities: model.tables.map { Report.Entity(entity: $0.entity, table: $0.table, rows: $0.rows) },
                    notRepresentable: model.notRepresentable, notes: model.notes + findings, imported: imported))
        }
        var lines: [String] = []
        if let target {
            lines.append("\(target): \(counted(model.tables.count, "entity", "entities"))")
            if let imported { lines.append("\(newStore ?? ""): \(counted(imported, "object", "objects"))") }
        }
        func add(_ title: String, _ texts: [String]) {
            if !texts.isEmpty { lines += [title] + texts.map { "    \(TerminalText.line($0))" } }
        }
        add("Not in the model:", model.notRepresentable)
        add("To look at:", model.notes + findings)
        if target == nil {
            try CommandOutput.results.write(data: model.document)
            for line in lines { try CommandOutput.messages.write(line: line) }
        } else {
            for line in lines { try CommandOutput.results.write(line: line) }
        }
    }

    /// The JSON report of the created model.
    private struct Report: Encodable {
        struct Entity: Encodable {
            var entity: String
            var table: String
            var rows: Int64
        }

        var version = 1
        var model: String?
        /// The text of the model's file, if no file was made.
        var document: String?
        var entities: [Entity]
        var notRepresentable: [String]
        var notes: [String]
        /// The number of rows in the new store.
        var imported: Int?
    }
}
