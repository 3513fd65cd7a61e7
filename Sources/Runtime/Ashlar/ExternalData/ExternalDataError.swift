package import SystemFoundation

/// An error of writing a large value to a file beside the store. Programs receive it as a case of ``SaveError`` or
/// ``BatchError``.
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
