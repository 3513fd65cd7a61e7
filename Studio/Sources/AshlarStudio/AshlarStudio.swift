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
            Prints an address on the loopback interface, which holds a secret of this run. The store is only read, and no \
            longer than a page takes, unless --writable is given. Ends with an interrupt.

            swift run ashlar-studio Feed.store --model Models/Feed.xcdatamodeld
            """)

    @Argument(help: "The path of the store's file.")
    var store: String

    @Option(help: "The path of the model; when left out, the one in this package that has the name of the store's.")
    var model: String?

    @Option(
        name: .customLong("ashlar-json"),
        help: ArgumentHelp("The ashlar.json that counts, in place of that of the model's package.", valueName: "file"))
    var configurationFile: String?

    @Option(help: ArgumentHelp("Another store, whose differences from this one are shown.", valueName: "store"))
    var compare: String?

    @Option(help: "The port; one that is free when left out.")
    var port = 0

    @Flag(help: "Let objects be changed, which the store's history tells.")
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
                description: "A store of Core Data's is shown, and not changed: import it with `ashlar import`.")
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
