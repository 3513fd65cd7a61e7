import Foundation

/// How a blob says that its bytes are in a file beside the store.
///
/// A blob is what it is, unless it begins with one of two tags and is longer than 16 bytes, which keeps UUIDs out of it:
/// `ashlar$file:` and a UUID is the name of a file, `ashlar$data:` stands before a value that would itself be taken for
/// a tagged one. Values that other programs write need no tag. Every blob is read so, so that a model can change its
/// mind about external storage without touching rows.
@usableFromInline
enum TaggedBlob {
    static let fileTag = Array("ashlar$file:".utf8)
    @usableFromInline static let inlineTag = Array("ashlar$data:".utf8)
    static let referenceLength = 12 + 36

    /// Whether bytes begin with a tag.
    @inlinable @inline(__always)
    static func isTagged(_ bytes: UnsafeRawPointer, _ count: Int) -> Bool {
        guard count > 16 else { return false }
        // "ashlar$f" and "ashlar$d", in one comparison each.
        let start = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
        return (start == 0x6173_686C_6172_2466 || start == 0x6173_686C_6172_2464) && hasTag(bytes)
    }

    static func isTagged(_ data: Data) -> Bool {
        data.withUnsafeBytes { bytes in bytes.baseAddress.map { isTagged($0, bytes.count) } ?? false }
    }

    @usableFromInline
    static func hasTag(_ bytes: UnsafeRawPointer) -> Bool {
        let start = UnsafeRawBufferPointer(start: bytes, count: fileTag.count)
        return start.elementsEqual(fileTag) || start.elementsEqual(inlineTag)
    }

    /// The name of the file that a tagged blob refers to; nil when it refers to none.
    static func fileName(_ bytes: UnsafeRawBufferPointer) -> String? {
        guard bytes.count == referenceLength, bytes.starts(with: fileTag) else { return nil }
        let name = String(decoding: bytes.dropFirst(fileTag.count), as: UTF8.self)
        return isFileName(name) ? name : nil
    }

    /// Whether a text is a UUID as Ashlar names files, and so no path to anywhere.
    static func isFileName(_ name: String) -> Bool { UUID(uuidString: name)?.uuidString == name }

    static func reference(to name: String) -> Data { Data(fileTag + Array(name.utf8)) }
}

extension Row {
    /// What a tagged blob stands for.
    @usableFromInline
    func taggedData(_ column: Int32, _ bytes: UnsafeRawPointer, _ count: Int) throws(RowError) -> Data {
        let bytes = UnsafeRawBufferPointer(start: bytes, count: count)
        if bytes.starts(with: TaggedBlob.inlineTag) { return Data(bytes.dropFirst(TaggedBlob.inlineTag.count)) }
        guard let name = TaggedBlob.fileName(bytes) else { return Data(bytes) }
        guard let folder = ExternalDataFolder(ofStatement: statement, file: name) else {
            throw RowError(column: column, expected: "the data of the file \(name), as a store in memory has no files")
        }
        do {
            return try folder.data(of: name)
        } catch {
            throw RowError(column: column, expected: "the data of the file \(folder.file(name).path): \(error)")
        }
    }
}
