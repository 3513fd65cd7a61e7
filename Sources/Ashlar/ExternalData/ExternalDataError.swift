public import SystemFoundation

/// A value that is kept in a file beside the store and could not be written there.
public struct ExternalDataError: Error, Sendable, Hashable {
    /// The file.
    public var url: URL
    /// What the system said.
    public var reason: String
}

extension ExternalDataError: CustomStringConvertible {
    public var description: String {
        "the file \(url.path) for a large value cannot be written: \(reason). "
            + "Look at the free space and at the permissions of the folder."
    }
}
