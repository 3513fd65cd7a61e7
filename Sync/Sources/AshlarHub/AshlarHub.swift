import ArgumentParser
import Foundation
import HubServer
import Hummingbird
import Logging
import PostgresLog

/// The program that serves logs to stores.
@main
struct AshlarHub: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ashlar-hub", abstract: "Keeps logs that Ashlar's stores follow, in PostgreSQL.",
        subcommands: [Serve.self, Migrate.self, Token.self, Log.self, Model.self])
}

/// The location of the database.
struct DatabaseOptions: ParsableArguments {
    @Option(help: "The database, as libpq takes it. Defaults to the environment variable ASHLAR_DATABASE.")
    var database: String?

    func open(connections: Int = 8) throws -> PostgresDatabase {
        guard let address = database ?? ProcessInfo.processInfo.environment["ASHLAR_DATABASE"] else {
            throw ValidationError(
                "Say where the database is: --database postgresql://USER@HOST/NAME, or ASHLAR_DATABASE.")
        }
        return PostgresDatabase(address, connections: connections)
    }
}

struct Migrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Makes the tables, or brings them up to date.")
    @OptionGroup var options: DatabaseOptions

    func run() async throws { try await options.open().migrate() }
}

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Answers stores, by HTTP, or by HTTPS where it has a certificate.")
    @OptionGroup var options: DatabaseOptions
    @Option(help: "The address that it listens at.") var host = "127.0.0.1"
    @Option(help: "The port; 0 for a free one.") var port = 8085
    @Option(help: "The file of a certificate, and of those that it is signed by, in PEM.") var certificate: String?
    @Option(help: "The file of the certificate's key, in PEM.") var key: String?
    @Option(help: "How many connections to the database are used at once.") var connections = 8
    @Option(help: "The greatest number of bytes of an entry or a value.") var entryBytes = 64 << 20
    @Option(help: "The greatest number of bytes of a snapshot.") var snapshotBytes = 16 << 30
    @Option(help: "How many requests of one token are answered in a second.") var requestsPerSecond = 1000.0
    @Option(help: "How many requests of one address are answered in a second whose tokens are not known yet.")
    var strangersPerSecond = 200.0
    @Option(help: "How many clients are connected at once.") var clients = 10_000

    func validate() throws {
        if (certificate == nil) != (key == nil) {
            throw ValidationError("Give both --certificate and --key, or neither.")
        }
    }

    func run() async throws {
        var limits = HubLimits()
        limits.entryBytes = entryBytes
        limits.snapshotBytes = snapshotBytes
        limits.requestsPerSecond = requestsPerSecond
        limits.strangersPerSecond = strangersPerSecond
        limits.connections = clients
        // Other users of the machine can read a program's arguments.
        limits.metricsToken = ProcessInfo.processInfo.environment["ASHLAR_METRICS_TOKEN"]
        let backend = PostgresBackend(try options.open(connections: connections))
        let hub = HubServer(backend, limits: limits, logger: Logger(label: "ashlar-hub"))
        var proof: HubCertificate?
        if let certificate, let key { proof = try HubCertificate(chain: certificate, key: key) }
        let (host, scheme) = (host, proof == nil ? "http" : "https")
        // On a signal, it finishes the open requests before it ends.
        try await hub.application(host: host, port: port, certificate: proof) { port in
            // At once, also to a program that waits for it at the other end of a pipe.
            FileHandle.standardOutput.write(Data("Listening at \(scheme)://\(host):\(port)/\n".utf8))
        }.runService()
    }
}

struct Token: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Makes, lists and revokes tokens.", subcommands: [Make.self, List.self, Revoke.self])

    struct Make: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Makes a token, and prints it this once.")
        @OptionGroup var options: DatabaseOptions
        @Argument(help: "The name of the log.") var log: String
        @Option(help: "The access that it allows: read, write or administer.") var access: HubAccess = .write
        @Option(help: "The name of its owner.") var label = ""
        @Option(help: "For how many days it is valid; for ever where left out.") var days: Int?
        @Option(help: "The beginning of the hash of a token that it replaces: stores go on with it.") var renewing:
            String?

        func validate() throws {
            guard LogName.isValid(log) else { throw ValidationError("A log's name has \(LogName.rule).") }
            if let days, !(0...36_500).contains(days) { throw ValidationError("Give --days from 0 to 36500.") }
        }

        func run() async throws {
            print(
                try await options.open().makeToken(
                    log: log, access: access.rawValue, label: label, days: days, renewing: renewing))
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the tokens, by the beginnings of their hashes.")
        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            for token in try await options.open().tokens() {
                print(
                    "\(token.name)  \(token.log.printable)  \(token.access)  \(token.expires ?? "for ever")  "
                        + token.label.printable)
            }
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Makes a token invalid at once.")
        @OptionGroup var options: DatabaseOptions
        @Argument(help: "The beginning of the token's hash, as `token list` prints it.") var name: String

        func run() async throws {
            guard try await options.open().revokeToken(name) else {
                throw ValidationError("There is no token \(name).")
            }
        }
    }
}

extension HubAccess: ExpressibleByArgument {}
