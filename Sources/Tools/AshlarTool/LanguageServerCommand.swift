import ArgumentParser
import FileErrors
import Foundation
import IndexAdvice
import LanguageServer
import ModelFormat

struct LanguageServerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "language-server",
        abstract: "Answers an editor while you edit a model, over standard input and output.",
        discussion: """
            An editor starts it, with the Language Server Protocol. Start the built program itself, and not \
            `swift package ashlar`: a running plugin blocks every build. Documentation/Editing.md has the settings of \
            editors.
            """)

    @Flag(help: ArgumentHelp("Accepted, because some editors add it.", visibility: .hidden))
    var stdio = false

    func run() throws {
        #if !os(Windows)
            // A write to a client that is gone is an error, and does not end the process.
            signal(SIGPIPE, SIG_IGN)
        #endif
        let server = ModelServer(
            version: AshlarTool.releaseVersion,
            advice: { plan, path, texts in
                var resolver = FindingResolver(texts)
                return Check.advice(plan, ofModelAtPath: path, &resolver)
            },
            queries: { IndexAdvisor.queries(of: $0).map { ($0.location, $0.sql) } })
        let (status, failure) = server.run(reading: StandardInput.read) { try CommandOutput.results.write(bytes: $0) }
        if let failure { try printError("The connection to the editor ended: \(failure)") }
        if status != 0 { throw ExitCode(status) }
    }
}

/// The bytes that a client writes.
private enum StandardInput {
    /// Waits for the next bytes; none at the end.
    @Sendable static func read() throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
            while true {
                #if os(Windows)
                    let result = Int(_read(0, buffer.baseAddress, UInt32(buffer.count)))
                #else
                    let result = Foundation.read(0, buffer.baseAddress, buffer.count)
                #endif
                if result < 0, errno == EINTR { continue }
                if result < 0 { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
                count = result
                return
            }
        }
    }
}
