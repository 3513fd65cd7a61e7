import SystemFoundation

/// How a blob says that its bytes are in a file beside the store.
///
/// A blob is what it is, unless it begins with one of three tags and is longer than 16 bytes, which keeps UUIDs out of it:
/// `ashlar$file:` and a UUID is the name of a file, with a slash and the number of its bytes after it; `ashlar$value:` and
/// 64 hexadecimal digits is the hash of a value that is read from the log which the store follows when it is asked for;
/// `ashlar$data:` stands before a value that would itself be taken for a tagged one. Values that other programs write need no tag. Every
/// blob is read so, so that a model can change its mind about external storage without touching rows. References of
/// earlier programs have no number of bytes.
@usableFromInline
package enum TaggedBlob {
    package static let fileTag = Array("ashlar$file:".utf8)
    @usableFromInline package static let inlineTag = Array("ashlar$data:".utf8)
    package static let valueTag = Array("ashlar$value:".utf8)

    /// Whether bytes begin with a tag.
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

    /// The hash of the value that a blob stands for which the log of the store has; nil for any other blob.
    package static func loggedHash(_ bytes: UnsafeRawBufferPointer) -> String? {
        guard bytes.count == valueTag.count + 64, bytes.starts(with: valueTag) else { return nil }
        let digits = bytes.dropFirst(valueTag.count)
        guard digits.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }) else { return nil }
        return String(decoding: digits, as: UTF8.self)
    }

    package static func loggedHash(_ data: Data) -> String? { data.withUnsafeBytes(loggedHash) }

    /// What a column holds in place of a value that the log of the store has.
    package static func blob(ofLoggedHash hash: String) -> Data { Data(valueTag) + Data(hash.utf8) }
}
