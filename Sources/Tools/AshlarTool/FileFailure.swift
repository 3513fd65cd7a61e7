import FileErrors
import Foundation
import ModelFormat

/// A file that a command could not read or write.
struct FileFailure: Error, Hashable, CustomStringConvertible {
    /// The failed operation, such as `write the picture to`; the path follows it.
    var action: String
    var path: String
    /// The system's message.
    var reason: String

    var description: String { "The tool cannot \(action) \(path): \(reason). Check the path and its permissions." }

    /// Runs a closure whose errors of the file system concern one path. Errors that name their subject are passed on
    /// unchanged.
    static func catching<Result>(_ action: String, _ path: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as ModelEditingError {
            throw error
        } catch {
            throw FileFailure(action: action, path: path, reason: FileErrorReason.text(error))
        }
    }
}
