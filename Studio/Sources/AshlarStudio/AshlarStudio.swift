import ArgumentParser
import Foundation
import Hummingbird
@_spi(Studio) import StoreBrowsing
@_spi(Studio) import StudioServer

/// Shows a store in a browser.
@main
struct AshlarStudio: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ashlar-studio",
        abstract: "Shows a store, or any SQLite file, in a browser on this computer.",
        discussion: """
            Prints an address on the loopback interface, which contains a secret of this run. The store is only read, and \
            no longer than a page takes, unless --writable is given. Ends with an interrupt.

            swift run ashlar studio Feed.store --model Models/Feed.xcdatamodeld
            """)

    @Argument(help: "The path of the store's file.")
    var store: String

    @Option(help: "The path of the model; by default the one in this package with the name of the store's model.")
    var model: String?

    @Option(
        name: .customLong("ashlar-json"),
        help: ArgumentHelp("The ashlar.json to use instead of that of the model's package.", valueName: "file"))
    var configurationFile: String?

    @Option(help: ArgumentHelp("Another store to compare this one with.", valueName: "store"))
    var compare: String?

    @Option(help: "The port; by default a free one.")
    var port = 0

    @Flag(help: "Allow changes of objects.")
    var writable = false

    func validate() throws {
        if !(0...65535).contains(port) { throw ValidationError("--port is a number up to 65535.") }
    }

    func run() async throws {
        let browser: StoreBrowser
        do {
            browser = try StoreBrowser(
                URL(fileURLWithPath: store), model: model, configuration: configurationFile)
        } catch {
            throw Failure(description: error.description)
        }
        if writable, browser.isOfCoreData {
            throw Failure(
                description: "Studio does not change a store of Core Data. Import it with `ashlar import` first.")
        }
        defer { browser.removeCopies() }
        let studio = Studio(
            browser, isWritable: writable, comparedWith: compare.map { URL(fileURLWithPath: $0) }, port: port)
        try await studio.application { address in
            FileHandle.standardOutput.write(Data("Open \(address)\n".utf8))
        }.runService()
    }

    /// Why the program cannot begin.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }
}
