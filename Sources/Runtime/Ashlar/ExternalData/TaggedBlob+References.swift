import AshlarSQLite
import SystemFoundation

/// The references in tagged blobs.
extension TaggedBlob {
    /// The lengths without a number of bytes, and with the greatest one.
    private static let referenceLengths = (12 + 36)...(12 + 36 + 1 + 19)

    /// A file that a blob refers to.
    package struct Reference: Hashable {
        var name: String
        /// The number of bytes in the file; nil if the reference does not contain it.
        var byteCount: Int?

        package init(name: String, byteCount: Int? = nil) { (self.name, self.byteCount) = (name, byteCount) }
    }

    /// Returns the file that a tagged blob refers to; nil if it refers to none.
    static func reference(_ bytes: UnsafeRawBufferPointer) -> Reference? {
        guard referenceLengths.contains(bytes.count), bytes.starts(with: fileTag) else { return nil }
        let rest = bytes.dropFirst(fileTag.count)
        let name = String(decoding: rest.prefix(36), as: UTF8.self)
        guard isFileName(name) else { return nil }
        let count = rest.dropFirst(36)
        guard let first = count.first else { return Reference(name: name) }
        // Each number has one representation.
        let digits = String(decoding: count.dropFirst(), as: UTF8.self)
        guard first == UInt8(ascii: "/"), let byteCount = Int(digits), byteCount >= 0, "\(byteCount)" == digits else {
            return nil
        }
        return Reference(name: name, byteCount: byteCount)
    }

    /// Returns the SQL condition that a column may hold a reference, which excludes most rows.
    static func lengthCondition(_ column: String) -> String {
        "length(\(column)) BETWEEN \(referenceLengths.lowerBound) AND \(referenceLengths.upperBound)"
    }

    /// Returns whether a text is a UUID in the form of Ashlar's file names, and therefore not a path.
    static func isFileName(_ name: String) -> Bool { UUID(uuidString: name)?.uuidString == name }

    package static func blob(_ reference: Reference) -> Data {
        Data(fileTag + Array((reference.name + (reference.byteCount.map { "/\($0)" } ?? "")).utf8))
    }
}
