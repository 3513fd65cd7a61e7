import Foundation

extension String {
    /// Returns whether an ASCII character is in the text.
    ///
    /// The search of the standard library compares characters as Unicode sees them, and that of Foundation converts the
    /// text first; this is asked of every name of every statement.
    package func contains(byte: UInt8) -> Bool {
        utf8.withContiguousStorageIfAvailable { bytes in
            guard let start = bytes.baseAddress else { return false }
            return memchr(start, Int32(byte), bytes.count) != nil
        } ?? utf8.contains(byte)
    }
}
