import SystemFoundation

/// Data that was compressed as RFC 1951 says, without a header, as Core Data keeps the model in a store.
///
/// zlib does this better. It is not linked, because every program would then need it for some kilobytes of an import.
enum RawDeflate {
    struct Failure: Error {}

    /// Decompresses data.
    ///
    /// - Throws: ``Failure`` for invalid data, and for more output than a limit.
    static func decompress(_ data: Data, limit: Int = 64 << 20) throws(Failure) -> Data {
        var reader = BitReader(bytes: [UInt8](data))
        var output: [UInt8] = []
        var isLast = false
        while !isLast {
            isLast = try reader.bits(1) == 1
            switch try reader.bits(2) {
            case 0: try copyStored(&reader, &output)
            case 1: try decode(&reader, &output, .fixedLiterals, .fixedDistances, limit)
            case 2:
                let (literals, distances) = try readCodes(&reader)
                try decode(&reader, &output, literals, distances, limit)
            default: throw Failure()
            }
            if output.count > limit { throw Failure() }
        }
        return Data(output)
    }

    private static func copyStored(_ reader: inout BitReader, _ output: inout [UInt8]) throws(Failure) {
        reader.skipToByte()
        let length = try reader.bits(16)
        guard try reader.bits(16) == length ^ 0xFFFF else { throw Failure() }
        for _ in 0..<length { output.append(UInt8(try reader.bits(8))) }
    }

    private static let lengths: [(base: Int, bits: Int)] = {
        var result: [(Int, Int)] = []
        var base = 3
        for bits in [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5] {
            result.append((base, bits))
            base += 1 << bits
        }
        return result + [(258, 0)]
    }()

    private static let distances: [(base: Int, bits: Int)] = {
        var result: [(Int, Int)] = []
        var base = 1
        for number in 0..<30 {
            let bits = max(0, number / 2 - 1)
            result.append((base, bits))
            base += 1 << bits
        }
        return result
    }()

    private static func decode(
        _ reader: inout BitReader, _ output: inout [UInt8], _ literals: Code, _ distanceCode: Code, _ limit: Int
    ) throws(Failure) {
        while output.count <= limit {
            let symbol = try literals.symbol(&reader)
            if symbol < 256 {
                output.append(UInt8(symbol))
            } else if symbol == 256 {
                return
            } else {
                guard symbol - 257 < lengths.count else { throw Failure() }
                let length = lengths[symbol - 257]
                let count = try length.base + reader.bits(length.bits)
                let number = try distanceCode.symbol(&reader)
                guard number < distances.count else { throw Failure() }
                let distance = try distances[number].base + reader.bits(distances[number].bits)
                guard distance <= output.count else { throw Failure() }
                for _ in 0..<count { output.append(output[output.count - distance]) }
            }
        }
    }

    private static func readCodes(_ reader: inout BitReader) throws(Failure) -> (Code, Code) {
        let literalCount = try reader.bits(5) + 257
        let distanceCount = try reader.bits(5) + 1
        let count = try reader.bits(4) + 4
        var orders = [Int](repeating: 0, count: 19)
        for index in [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15].prefix(count) {
            orders[index] = try reader.bits(3)
        }
        let code = Code(orders)
        var all: [Int] = []
        while all.count < literalCount + distanceCount {
            let symbol = try code.symbol(&reader)
            switch symbol {
            case 16:
                guard let last = all.last else { throw Failure() }
                all += [Int](repeating: last, count: try reader.bits(2) + 3)
            case 17: all += [Int](repeating: 0, count: try reader.bits(3) + 3)
            case 18: all += [Int](repeating: 0, count: try reader.bits(7) + 11)
            default: all.append(symbol)
            }
        }
        guard all.count == literalCount + distanceCount else { throw Failure() }
        return (Code(Array(all[..<literalCount])), Code(Array(all[literalCount...])))
    }

    /// Bits from the lowest of each byte on.
    private struct BitReader {
        let bytes: [UInt8]
        var position = 0

        mutating func bits(_ count: Int) throws(Failure) -> Int {
            var value = 0
            for bit in 0..<count {
                guard position >> 3 < bytes.count else { throw Failure() }
                value |= Int(bytes[position >> 3] >> UInt8(position & 7) & 1) << bit
                position += 1
            }
            return value
        }

        mutating func skipToByte() { position = (position + 7) & ~7 }
    }

    /// A canonical Huffman code, by the lengths of its symbols' words.
    private struct Code {
        private var counts = [Int](repeating: 0, count: 16)
        private var symbols: [Int] = []

        static let fixedLiterals = Code(
            [Int](repeating: 8, count: 144) + [Int](repeating: 9, count: 112) + [Int](repeating: 7, count: 24)
                + [Int](repeating: 8, count: 8))
        static let fixedDistances = Code([Int](repeating: 5, count: 30))

        init(_ lengths: [Int]) {
            for length in lengths where length > 0 { counts[length] += 1 }
            for length in 1..<16 { symbols += lengths.indices.filter { lengths[$0] == length } }
        }

        func symbol(_ reader: inout BitReader) throws(Failure) -> Int {
            var (code, first, index) = (0, 0, 0)
            for length in 1..<16 {
                code |= try reader.bits(1)
                let count = counts[length]
                if code - count < first { return symbols[index + code - first] }
                index += count
                first = (first + count) << 1
                code <<= 1
            }
            throw Failure()
        }
    }
}
