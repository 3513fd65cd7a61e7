import SystemFoundation

/// The tags of blobs whose bytes are elsewhere, such as in a file beside the store.
///
/// A blob is literal unless it begins with one of three tags and is longer than 16 bytes, which excludes UUIDs.
/// `ashlar$file:` and a UUID is the name of a file, followed by a slash and its number of bytes. `ashlar$value:` and 64
/// hexadecimal digits is the hash of a value in the log that the store follows, which is read on demand. `ashlar$data:`
/// precedes a value that would itself look like a tagged one. Values of other programs need no tag.
///
/// Every blob is read in this way, so a model can change its external storage without touching rows. References of
/// earlier programs have no number of bytes.
@usableFromInline
package enum TaggedBlob {
    package static let fileTag = Array("ashlar$file:".utf8)
    @usableFromInline package static let inlineTag = Array("ashlar$data:".utf8)
    package static let valueTag = Array("ashlar$value:".utf8)

    /// Returns whether bytes begin with a tag.
    @inlinable @inline(__always)
    package static func isTagged(_ bytes: UnsafeRawPointer, _ count: Int) -> Bool {
        guard count > 16 else { return false }
        // "ashlar$" in one comparison.
        let start = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
        return start >> 8 == 0x61_7368_6C61_7224 && hasTag(bytes)
    }

    package static func isTagged(_ data: Data) -> Bool {
        data.withUnsafeBytes { bytes in bytes.baseAddress.map { isTagged($0, bytes.count) } ?? false }
    }

    @usableFromInline
    package static func hasTag(_ bytes: UnsafeRawPointer) -> Bool {
        // There are more than 16 bytes.
        let start = UnsafeRawBufferPointer(start: bytes, count: valueTag.count)
        return start.starts(with: fileTag) || start.starts(with: inlineTag) || start.elementsEqual(valueTag)
    }

    /// The hash of a blob whose value is in the log; nil for any other blob.
    package static func loggedHash(_ bytes: UnsafeRawBufferPointer) -> String? {
        guard bytes.count == valueTag.count + 64, bytes.starts(with: valueTag) else { return nil }
        let digits = bytes.dropFirst(valueTag.count)
        guard digits.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }) else { return nil }
        return String(decoding: digits, as: UTF8.self)
    }

    package static func loggedHash(_ data: Data) -> String? { data.withUnsafeBytes(loggedHash) }

    /// The blob that represents a value of the log.
    package static func blob(ofLoggedHash hash: String) -> Data { Data(valueTag) + Data(hash.utf8) }
}
