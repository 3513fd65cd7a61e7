import ArgumentParser
import Foundation
import Hummingbird
@_spi(Studio) import ModelAuthoring
@_spi(Studio) import StoreBrowsing
@_spi(Studio) import StudioServer

/// Shows a store or a model in a browser.
@main
struct AshlarStudio: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ashlar-studio",
        abstract: "Shows a store, or any SQLite file, in a browser on this computer; or edits a model.",
        discussion: """
            Prints an address on the loopback interface, which contains a secret of this run. A store is only read, and \
            no longer than a page takes, unless --writable is given. A model is edited: each edit is written at once, and \
            can be undone. A model that does not exist can be created. Ends with an interrupt.

            swift run ashlar studio Feed.store --model Models/Feed.xcdatamodeld
            swift run ashlar studio Models/Feed.xcdatamodeld
            """)

    @Argument(help: "The path of the store's file, or of a model.")
    var path: String

    @Option(
        help: "The path of the store's model; by default the one in this package with the name of the store's model.")
    var model: String?

    @Option(
        name: .customLong("ashlar-json"),
        help: ArgumentHelp("The ashlar.json to use instead of that of the model's package.", valueName: "file"))
    var configurationFile: String?

    @Option(help: ArgumentHelp("Another store to compare this one with.", valueName: "store"))
    var compare: String?

    @Option(help: "The port; by default a free one.")
    var port = 0

    @Flag(help: "Allow changes of objects, and of the store's model.")
    var writable = false

    @Flag(help: "Only show a model.")
    var readOnly = false

    func validate() throws {
        if !(0...65535).contains(port) { throw ValidationError("--port is a number up to 65535.") }
        if writable, readOnly { throw ValidationError("--writable and --read-only exclude each other.") }
        if ModelDesk.isModel(path), model != nil || compare != nil {
            throw ValidationError("--model and --compare go with a store.")
        }
    }

    func run() async throws {
        if ModelDesk.isModel(path) {
            let desk = ModelDesk(path, configuration: configurationFile, isWritable: !readOnly)
            return try await ModelStudio(desk, port: port).application(isReady: Self.report).runService()
        }
        let browser: StoreBrowser
        do {
            browser = try StoreBrowser(
                URL(fileURLWithPath: path), model: model, configuration: configurationFile)
        } catch {
            throw Failure(description: error.description)
        }
        if writable, browser.isOfCoreData {
            throw Failure(
                description: "Studio does not change a store of Core Data. Import it with `ashlar import` first.")
        }
        defer { browser.removeCopies() }
        let studio = Studio(
            browser, isWritable: writable, comparedWith: compare.map { URL(fileURLWithPath: $0) }, port: port,
            configuration: configurationFile)
        try await studio.application(isReady: Self.report).runService()
    }

    @Sendable private static func report(_ address: String) {
        FileHandle.standardOutput.write(Data("Open \(address)\n".utf8))
    }

    /// The reason why the program cannot begin.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }
}
