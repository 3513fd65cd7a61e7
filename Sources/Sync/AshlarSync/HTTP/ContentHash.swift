import Digests

/// The SHA-256 of bytes that arrive in pieces, for the hub, which is another package.
@_spi(Hub) public struct ContentHash: Sendable {
    private var hash = SHA256()

    /// Creates the hash of no bytes.
    public init() {}

    /// Adds bytes.
    public mutating func update(_ bytes: some Sequence<UInt8>) { hash.update(bytes) }

    /// The hash of all bytes, as 64 hexadecimal digits.
    public consuming func finalize() -> String { hash.finalizeHexadecimal() }

    /// The hash of some bytes, as 64 hexadecimal digits.
    public static func hexadecimal(of bytes: some Sequence<UInt8>) -> String { SHA256.hexadecimal(of: bytes) }
}
