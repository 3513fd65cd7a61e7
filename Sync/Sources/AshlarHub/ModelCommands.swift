import ArgumentParser
import AshlarSync
import Foundation
import PostgresLog

struct Model: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Gives logs their models, so that their rows are tables that can be queried with SQL.",
        subcommands: [Push.self, Show.self, Grant.self, Drop.self])

    struct Push: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Gives a log its model, and writes its rows to tables.",
            discussion:
                "Push the newest version of the model before programs have it. Tables that stopped go on after a push.")
        @OptionGroup var options: DatabaseOptions
        @Argument(help: "The name of the log.") var log: String
        @Argument(help: "The path of the model, a folder that ends with .xcdatamodeld or .xcdatamodel.")
        var model: String
        @Option(help: "The ashlar.json that counts, in place of those in the package that name the model.")
        var ashlarJson: String?

        func run() async throws {
            print(try await options.open().pushModel(at: model, toLog: log, configuration: ashlarJson).text)
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints the schema of a log's tables, and how far these follow the log.")
        @OptionGroup var options: DatabaseOptions
        @Argument(help: "The name of the log.") var log: String

        func run() async throws {
            guard let model = try await options.open().model(ofLog: log) else {
                throw SyncLogError.missing("the model of the log \(log)")
            }
            print(model.text)
        }
    }

    struct Grant: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Has a role of the database read a log's tables, and not change them.")
        @OptionGroup var options: DatabaseOptions
        @Argument(help: "The name of the log.") var log: String
        @Argument(help: "The role, which exists.") var role: String

        func run() async throws { try await options.open().grantTables(ofLog: log, to: role) }
    }

    struct Drop: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Removes a log's tables and its model. The log stays as it is.")
        @OptionGroup var options: DatabaseOptions
        @Argument(help: "The name of the log.") var log: String

        func run() async throws { try await options.open().dropModel(ofLog: log) }
    }
}

extension PostgresModelSummary {
    fileprivate var text: String {
        let place = position.map { "version \((version ?? "").prefix(12))  at \($0) of \(head)" } ?? "no rows yet"
        let stop = reason.map { "  stopped: \($0.printable)" } ?? ""
        return "\(name.printable)  schema \(schema.printable)  \(place)\(stop)"
    }
}
