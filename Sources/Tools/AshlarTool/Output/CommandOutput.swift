import DataModel
import FileErrors
import Foundation

/// One of the two streams that a command writes to. A failed write is an error: an incomplete file is worse than none.
struct CommandOutput: Sendable {
    /// The output for a command's results.
    static let results = CommandOutput(.standardOutput, name: "standard output", descriptor: 1)
    /// The output for messages: findings, errors and progress.
    static let messages = CommandOutput(.standardError, name: "standard error", descriptor: 2)

    private let handle: FileHandle
    private let name: String
    private let descriptor: Int32
    /// Whether the stream is a terminal.
    let isTerminal: Bool
    /// Whether parts of the text are coloured.
    let usesColours: Bool

    private init(_ handle: FileHandle, name: String, descriptor: Int32) {
        self.handle = handle
        self.name = name
        self.descriptor = descriptor
        isTerminal = isatty(descriptor) == 1
        usesColours = Self.usesColours(isTerminal: isTerminal, environment: ProcessInfo.processInfo.environment)
    }

    /// Returns whether text is coloured: on a terminal that supports colours, unless `NO_COLOR` is set to a text that
    /// is not empty, see https://no-color.org.
    static func usesColours(isTerminal: Bool, environment: [String: String]) -> Bool {
        isTerminal && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    }

    /// Writes lines for people to read.
    func write(line text: String) throws(OutputError) {
        try write(bytesOf: TerminalText.escaped(text) + "\n")
    }

    /// Writes a text for people to read that ends with a line break.
    func write(text: String) throws(OutputError) {
        try write(bytesOf: TerminalText.escaped(text.hasSuffix("\n") ? text : text + "\n"))
    }

    /// Writes lines with colours.
    func write(lines: [[TextSpan]]) throws(OutputError) {
        if lines.isEmpty { return }
        try write(bytesOf: lines.map { TextSpan.text($0, isColoured: usesColours) + "\n" }.joined())
    }

    /// Writes output for programs, such as SQL, JSON or a picture: byte by byte into a file or a pipe.
    func write(data text: String) throws(OutputError) {
        try write(bytesOf: isTerminal ? TerminalText.escaped(text) : text)
    }

    /// The same for a part of a text that ends at the end of a character.
    func write(bytes: [UInt8]) throws(OutputError) {
        if isTerminal { return try write(data: String(decoding: bytes, as: UTF8.self)) }
        try write(Data(bytes))
    }

    /// Writes a value as JSON with a line break behind it.
    func write(json value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        try write(data: String(decoding: encoder.encode(value), as: UTF8.self) + "\n")
    }

    /// Writes text that replaces the line that the cursor is in; for a terminal only.
    func rewrite(line text: String) throws(OutputError) {
        try write(bytesOf: "\r\u{1B}[K" + TerminalText.line(text))
    }

    /// Ends the output. Some file systems report only then that there was no space.
    func close() throws(OutputError) {
        #if !os(Windows)
            // A second descriptor of the same file is closed, so that later output does not go elsewhere.
            let copy = dup(descriptor)
            // The stream was never open, so every earlier write has already failed.
            if copy < 0 { return }
            if Foundation.close(copy) != 0 { throw OutputError(stream: name, reason: String(cString: strerror(errno))) }
        #endif
    }

    private func write(bytesOf text: String) throws(OutputError) { try write(Data(text.utf8)) }

    private func write(_ bytes: Data) throws(OutputError) {
        do {
            try handle.write(contentsOf: bytes)
        } catch {
            throw OutputError(stream: name, reason: FileErrorReason.text(error))
        }
    }
}

/// A failed write of a command's output.
struct OutputError: Error, Hashable, CustomStringConvertible {
    /// `standard output` or `standard error`.
    var stream: String
    var reason: String

    var description: String {
        "The output to \(stream) is not complete: \(reason). Make room, or write it elsewhere."
    }
}
