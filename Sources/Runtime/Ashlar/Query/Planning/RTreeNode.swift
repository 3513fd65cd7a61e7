/// One node of an R-tree, as SQLite keeps it: `<name>_node`.
///
/// A node has two bytes of which only the root's mean something, its depth; two that count its cells; and per cell eight
/// of the row's identifier or the child's number, and for each dimension two 32-bit numbers.
struct RTreeNode {
    /// The depth of the tree, in a root: 0 where its cells are rows.
    private(set) var depth = 0
    private(set) var cells: [Cell] = []

    /// A row's coordinates, or a child and the box around all that is in it.
    struct Cell {
        var number: Int64
        /// How much of the cell's box lies within the search's, from 0 to 1.
        var share: Double
    }

    /// The number of cells that were in the node, of which only those that the search meets are kept.
    private(set) var count = 0

    /// Nil for bytes that are no node.
    init?(_ bytes: UnsafeRawBufferPointer, _ limits: [CoordinateLimits]) {
        let size = 8 + 8 * limits.count
        guard bytes.count >= 4 else { return nil }
        depth = Int(bytes.bigEndian(UInt16.self, 0))
        count = Int(bytes.bigEndian(UInt16.self, 2))
        guard bytes.count >= 4 + count * size else { return nil }
        cells.reserveCapacity(count)
        for cell in 0..<count {
            let start = 4 + cell * size
            var share = 1.0
            for dimension in limits.indices {
                let coordinates = start + 8 + dimension * 8
                share *= limits[dimension].share(
                    of: Double(Float(bitPattern: bytes.bigEndian(UInt32.self, coordinates))),
                    Double(Float(bitPattern: bytes.bigEndian(UInt32.self, coordinates + 4))))
                if share == 0 { break }
            }
            if share > 0 {
                cells.append(Cell(number: Int64(bitPattern: bytes.bigEndian(UInt64.self, start)), share: share))
            }
        }
    }
}

/// The bounds of a dimension as the tree's coordinates are compared with them.
struct CoordinateLimits {
    private let lower: Double
    private let upper: Double

    init(_ bounds: ColumnBounds?) {
        lower = bounds?.leastMaximum ?? -.infinity
        upper = bounds?.greatestMinimum ?? .infinity
    }

    /// How much of a range lies within the bounds, from 0 to 1; a little of one that only touches them.
    func share(of least: Double, _ greatest: Double) -> Double {
        if least >= lower, greatest <= upper { return 1 }
        let first = max(least, lower)
        let last = min(greatest, upper)
        if first > last { return 0 }
        let share = (last - first) / (greatest - least)
        // Of an infinite range nothing is known.
        return share.isFinite ? max(share, 1e-9) : 0.5
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func bigEndian<Number: FixedWidthInteger>(_ type: Number.Type, _ offset: Int) -> Number {
        Number(bigEndian: loadUnaligned(fromByteOffset: offset, as: type))
    }
}
