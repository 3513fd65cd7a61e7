import SystemFoundation

/// Writes a binary property list object by object. Containers refer to their elements by position.
struct BinaryPropertyListWriter {
    /// The objects, kept until all are added, because their number decides how many bytes a reference has.
    private var objects: [BinaryPropertyList.Object] = []

    /// Adds an object, and returns its position.
    mutating func add(_ object: BinaryPropertyList.Object) -> Int {
        objects.append(object)
        return objects.count - 1
    }

    /// Adds a string.
    mutating func add(_ text: String) -> Int { add(.string(text)) }

    /// Replaces an object whose content was not known when it was added.
    mutating func set(_ position: Int, _ object: BinaryPropertyList.Object) { objects[position] = object }

    /// The file.
    func data(root: Int) -> Data {
        var bytes = Array("bplist00".utf8)
        var offsets: [Int] = []
        let referenceSize = Self.size(of: objects.count)
        for object in objects {
            offsets.append(bytes.count)
            Self.write(object, referenceSize, to: &bytes)
        }
        let offsetTable = bytes.count
        let offsetSize = Self.size(of: offsetTable)
        for offset in offsets { Self.write(offset, offsetSize, to: &bytes) }
        bytes += [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
        for number in [objects.count, root, offsetTable] { Self.write(number, 8, to: &bytes) }
        return Data(bytes)
    }

    private static func size(of number: Int) -> Int {
        number < 1 << 8 ? 1 : (number < 1 << 16 ? 2 : (number < 1 << 32 ? 4 : 8))
    }

    private static func write(_ number: Int, _ size: Int, to bytes: inout [UInt8]) {
        for index in (0..<size).reversed() { bytes.append(UInt8(truncatingIfNeeded: number >> (index * 8))) }
    }

    private static func write(integer: Int64, to bytes: inout [UInt8]) {
        // Short numbers have no sign, so that a negative one needs all eight bytes.
        let size = integer < 0 ? 8 : size(of: Int(integer))
        bytes.append(0x10 | UInt8(size.trailingZeroBitCount))
        write(Int(integer), size, to: &bytes)
    }

    private static func write(_ kind: UInt8, length: Int, to bytes: inout [UInt8]) {
        bytes.append(kind << 4 | UInt8(min(length, 0x0F)))
        if length >= 0x0F { write(integer: Int64(length), to: &bytes) }
    }

    private static func write(bits: UInt64, to bytes: inout [UInt8]) {
        for index in (0..<8).reversed() { bytes.append(UInt8(truncatingIfNeeded: bits >> UInt64(index * 8))) }
    }

    private static func write(_ object: BinaryPropertyList.Object, _ referenceSize: Int, to bytes: inout [UInt8]) {
        switch object {
        case .boolean(let value): bytes.append(value ? 0x09 : 0x08)
        case .integer(let value): write(integer: value, to: &bytes)
        case .real(let value):
            bytes.append(0x23)
            write(bits: value.bitPattern, to: &bytes)
        case .date(let seconds):
            bytes.append(0x33)
            write(bits: seconds.bitPattern, to: &bytes)
        case .data(let value):
            write(0x4, length: value.count, to: &bytes)
            bytes += value
        case .string(let text):
            if text.utf8.allSatisfy({ $0 < 0x80 }) {
                write(0x5, length: text.utf8.count, to: &bytes)
                bytes += text.utf8
            } else {
                write(0x6, length: text.utf16.count, to: &bytes)
                for unit in text.utf16 { bytes += [UInt8(unit >> 8), UInt8(unit & 0xFF)] }
            }
        case .uid(let position):
            let size = size(of: position)
            bytes.append(0x80 | UInt8(size - 1))
            write(position, size, to: &bytes)
        case .array(let positions):
            write(0xA, length: positions.count, to: &bytes)
            for position in positions { write(position, referenceSize, to: &bytes) }
        case .dictionary(let pairs):
            write(0xD, length: pairs.count, to: &bytes)
            for pair in pairs { write(pair.key, referenceSize, to: &bytes) }
            for pair in pairs { write(pair.value, referenceSize, to: &bytes) }
        }
    }
}
