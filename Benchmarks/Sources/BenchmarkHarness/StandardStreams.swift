import Foundation

/// Writes everything that was printed, so that a reader gets it now.
func flush() { fflush(nil) }

/// Runs a program's work. An error is printed, and ends the program with status 1.
package func reportingErrors(_ body: () throws -> Void) {
    do {
        try body()
    } catch {
        FileHandle.standardError.write(Data("error: \(error)\n".utf8))
        exit(1)
    }
}
