import SystemFoundation

/// A binary property list as a table of objects that refer to each other by their positions.
///
/// Foundation's reader turns the references (`UID`) in keyed archives into opaque objects, differently on each
/// platform, and makes no promise about hostile files.
package struct BinaryPropertyList {
    /// An object of the table.
    package enum Object {
        case boolean(Bool)
        case integer(Int64)
        case real(Double)
        case date(Double)
        case data(Data)
        case string(String)
        /// The position of an object in a keyed archive's own list.
        case uid(Int)
        /// The positions of the elements in this table.
        case array([Int])
        /// The positions of keys and values in this table.
        case dictionary([(key: Int, value: Int)])
    }

    private let bytes: [UInt8]
    private let offsetSize: Int
    private let referenceSize: Int
    private let offsetTable: Int
    package let count: Int
    package let root: Int

    private static let header = Array("bplist00".utf8)
    private static let trailerLength = 32

    package init(_ data: Data) throws(ArchiveError) {
        bytes = [UInt8](data)
        guard bytes.starts(with: Self.header) else { throw .malformed("it does not begin with bplist00") }
        let trailer = bytes.count - Self.trailerLength
        guard trailer >= Self.header.count else { throw .malformed("it ends too early") }
        offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        count = Self.trailing(bytes[(trailer + 8)..<(trailer + 16)])
        root = Self.trailing(bytes[(trailer + 16)..<(trailer + 24)])
        offsetTable = Self.trailing(bytes[(trailer + 24)..<(trailer + 32)])
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize), offsetTable >= Self.header.count,
            offsetTable <= trailer, count > 0, count <= (trailer - offsetTable) / offsetSize, root < count
        else { throw .malformed("its trailer is not sound") }
    }

    /// Reads a number of the trailer. A number too large for `Int` becomes `Int.max`, which the checks refuse.
    private static func trailing(_ bytes: ArraySlice<UInt8>) -> Int {
        Int(clamping: bytes.reduce(0 as UInt64) { $0 << 8 | UInt64($1) })
    }

    /// The object at a position of the table.
    package func object(at position: Int) throws(ArchiveError) -> Object {
        guard position >= 0, position < count else { throw .malformed("a reference leads nowhere") }
        let start = try unsigned(at: offsetTable + position * offsetSize, offsetSize, limit: bytes.count)
        guard start >= Self.header.count, start < offsetTable else { throw .malformed("an object lies outside") }
        let marker = bytes[start]
        let low = Int(marker & 0x0F)
        switch marker >> 4 {
        case 0x0 where marker == 0x08: return .boolean(false)
        case 0x0 where marker == 0x09: return .boolean(true)
        case 0x1: return .integer(try integer(at: start + 1, 1 << low))
        case 0x2: return .real(try real(at: start + 1, 1 << low))
        case 0x3 where low == 3: return .date(try real(at: start + 1, 8))
        case 0x8: return .uid(try unsigned(at: start + 1, low + 1, limit: offsetTable))
        default: break
        }
        let (length, body) = try length(at: start, low)
        switch marker >> 4 {
        case 0x4: return .data(Data(try slice(body, length, 1)))
        case 0x5: return .string(try ascii(try slice(body, length, 1)))
        case 0x6: return .string(try utf16(try slice(body, length, 2)))
        case 0xA: return .array(try references(body, length))
        case 0xD:
            let keys = try references(body, length)
            let values = try references(body + length * referenceSize, length)
            return .dictionary(zip(keys, values).map { ($0, $1) })
        default: throw .malformed("an object has the unknown marker \(marker)")
        }
    }

    // MARK: Parts

    /// Returns the number of elements of an object, which follows the marker if it does not fit into it.
    private func length(at start: Int, _ low: Int) throws(ArchiveError) -> (length: Int, body: Int) {
        if low != 0x0F { return (low, start + 1) }
        guard start + 1 < offsetTable, bytes[start + 1] >> 4 == 0x1 else { throw .malformed("a length is missing") }
        let size = 1 << Int(bytes[start + 1] & 0x0F)
        let length = try integer(at: start + 2, size)
        guard length >= 0, length <= offsetTable else { throw .malformed("a length is too large") }
        return (Int(length), start + 2 + size)
    }

    private func slice(_ start: Int, _ count: Int, _ width: Int) throws(ArchiveError) -> ArraySlice<UInt8> {
        // Both numbers are at most the number of bytes, so that nothing here can overflow.
        guard start <= offsetTable, count <= (offsetTable - start) / width else {
            throw .malformed("an object goes beyond the end")
        }
        return bytes[start..<(start + count * width)]
    }

    private func unsigned(at start: Int, _ size: Int, limit: Int) throws(ArchiveError) -> Int {
        guard start + size <= limit else { throw .malformed("a number goes beyond the end") }
        var value: UInt64 = 0
        for byte in bytes[start..<(start + size)] {
            guard value >> 56 == 0 else { throw .malformed("a number is too large") }
            value = value << 8 | UInt64(byte)
        }
        guard let number = Int(exactly: value) else { throw .malformed("a number is too large") }
        return number
    }

    /// Reads an integer. Integers of eight bytes are signed, shorter ones unsigned. Integers of sixteen bytes are for
    /// numbers above `Int64.max`, which are refused.
    private func integer(at start: Int, _ size: Int) throws(ArchiveError) -> Int64 {
        guard size <= 16, start + size <= offsetTable else { throw .malformed("a number goes beyond the end") }
        var value: UInt64 = 0
        for byte in bytes[start..<(start + size)].suffix(8) { value = value << 8 | UInt64(byte) }
        let number = Int64(bitPattern: value)
        if size == 16 {
            let sign: UInt8 = number < 0 ? 0xFF : 0
            guard bytes[start..<(start + 8)].allSatisfy({ $0 == sign }) else {
                throw .malformed("a number is too large")
            }
        }
        return number
    }

    private func real(at start: Int, _ size: Int) throws(ArchiveError) -> Double {
        let bits = UInt64(bitPattern: try integer(at: start, size))
        switch size {
        case 4: return Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
        case 8: return Double(bitPattern: bits)
        default: throw .malformed("a real number has \(size) bytes")
        }
    }

    private func ascii(_ characters: ArraySlice<UInt8>) throws(ArchiveError) -> String {
        guard characters.allSatisfy({ $0 < 0x80 }) else { throw .malformed("a string is not ASCII") }
        return String(decoding: characters, as: UTF8.self)
    }

    private func utf16(_ characters: ArraySlice<UInt8>) throws(ArchiveError) -> String {
        var units: [UInt16] = []
        units.reserveCapacity(characters.count / 2)
        var index = characters.startIndex
        while index < characters.endIndex {
            units.append(UInt16(characters[index]) << 8 | UInt16(characters[index + 1]))
            index += 2
        }
        // Decoding would silently replace half of a surrogate pair by another character.
        guard let text = String(validating: units, as: UTF16.self) else { throw .malformed("a string is not UTF-16") }
        return text
    }

    private func references(_ start: Int, _ count: Int) throws(ArchiveError) -> [Int] {
        _ = try slice(start, count, referenceSize)
        var result: [Int] = []
        result.reserveCapacity(count)
        for index in 0..<count {
            result.append(try unsigned(at: start + index * referenceSize, referenceSize, limit: offsetTable))
        }
        return result
    }
}
