package import SystemFoundation

/// A value that is kept in a file beside the store and could not be written there. Programs see it as a case of
/// ``SaveError`` and ``BatchError``.
package struct ExternalDataError: Error, Sendable, Hashable {
    /// The file.
    package var url: URL
    /// The system's message.
    package var reason: String
}

extension ExternalDataError: CustomStringConvertible {
    package var description: String {
        "the file \(url.path) for a large value cannot be written: \(reason). "
            + "Look at the free space and at the permissions of the folder."
    }
}
