import ArgumentParser
import Foundation
import IndexAdvice

/// The recordings of statements that commands read.
enum RecordingArguments {
    /// Reads the files, and ends with the status of a file that cannot be read.
    static func read(_ paths: [String]) throws -> StatementRecording {
        try reading { () throws(StatementRecording.Failure) in
            try StatementRecording(contentsOf: paths.map { URL(fileURLWithPath: $0) })
        }
    }

    /// Runs a closure that reads a file, and ends with the status of a file that cannot be read.
    static func reading<Value, Failure: Error>(_ body: () throws(Failure) -> Value) throws -> Value {
        do {
            return try body()
        } catch {
            try printError("\(error)")
            throw ExitCode(66)
        }
    }
}
