import SystemFoundation

/// How a blob says that its bytes are in a file beside the store.
///
/// A blob is what it is, unless it begins with one of two tags and is longer than 16 bytes, which keeps UUIDs out of it:
/// `ashlar$file:` and a UUID is the name of a file, with a slash and the number of its bytes after it; `ashlar$data:`
/// stands before a value that would itself be taken for a tagged one. Values that other programs write need no tag. Every
/// blob is read so, so that a model can change its mind about external storage without touching rows. References of
/// earlier programs have no number of bytes.
@usableFromInline
package enum TaggedBlob {
    package static let fileTag = Array("ashlar$file:".utf8)
    @usableFromInline package static let inlineTag = Array("ashlar$data:".utf8)

    /// Whether bytes begin with a tag.
    @inlinable @inline(__always)
    package static func isTagged(_ bytes: UnsafeRawPointer, _ count: Int) -> Bool {
        guard count > 16 else { return false }
        // "ashlar$f" and "ashlar$d", in one comparison each.
        let start = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
        return (start == 0x6173_686C_6172_2466 || start == 0x6173_686C_6172_2464) && hasTag(bytes)
    }

    package static func isTagged(_ data: Data) -> Bool {
        data.withUnsafeBytes { bytes in bytes.baseAddress.map { isTagged($0, bytes.count) } ?? false }
    }

    @usableFromInline
    package static func hasTag(_ bytes: UnsafeRawPointer) -> Bool {
        let start = UnsafeRawBufferPointer(start: bytes, count: fileTag.count)
        return start.elementsEqual(fileTag) || start.elementsEqual(inlineTag)
    }
}
