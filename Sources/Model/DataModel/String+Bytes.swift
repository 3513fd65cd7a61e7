import Foundation

extension String {
    /// Returns whether an ASCII character is in the text.
    ///
    /// The standard library's search compares characters by Unicode's rules, and Foundation's converts the text first.
    /// This search runs for every name of every statement.
    package func contains(byte: UInt8) -> Bool {
        utf8.withContiguousStorageIfAvailable { bytes in
            guard let start = bytes.baseAddress else { return false }
            return memchr(start, Int32(byte), bytes.count) != nil
        } ?? utf8.contains(byte)
    }
}
