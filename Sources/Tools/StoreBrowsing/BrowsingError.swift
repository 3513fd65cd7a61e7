import Ashlar
import AshlarSQLite
import FileErrors

/// An error of a page, with a message for its reader.
@_spi(Studio) public struct BrowsingError: Error, Hashable, CustomStringConvertible {
    /// The kind of answer for an error.
    public enum Kind: Sendable, Hashable {
        /// The requested object does not exist.
        case missing
        /// The request is malformed.
        case invalid
        /// The store cannot be read or written now, or it is damaged.
        case unavailable
        /// The request takes longer than a reader may use a store.
        case tooSlow
        /// The store cannot be changed, or refuses this change.
        case refused
    }

    public let kind: Kind
    public let description: String
    /// The messages about single properties, by their names.
    public let fields: [String: String]

    init(_ kind: Kind, _ description: String, fields: [String: String] = [:]) {
        self.kind = kind
        self.description = description
        self.fields = fields
    }

    /// Returns the browser's error for an error of the lower layers.
    static func of(_ error: any Error) -> BrowsingError {
        if let error = error as? BrowsingError { return error }
        return BrowsingError(.unavailable, FileErrorReason.text(error))
    }
}
