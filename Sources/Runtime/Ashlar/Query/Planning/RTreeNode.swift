/// A node of an R-tree in SQLite's format, from the table `<name>_node`.
///
/// The first two bytes of the root are the depth of the tree; other nodes do not use them. The next two bytes are the
/// number of cells. Each cell has eight bytes with the row's identifier or the child's number, and two 32-bit numbers
/// for each dimension.
struct RTreeNode {
    /// The depth of the tree, in a root. It is 0 if the cells are rows.
    private(set) var depth = 0
    private(set) var cells: [Cell] = []

    /// The coordinates of a row, or a child and the bounding box of its content.
    struct Cell {
        var number: Int64
        /// The share of the cell's box that is within the search's box, from 0 to 1.
        var share: Double
    }

    /// The number of cells in the node. Only cells that intersect the search's box are kept.
    private(set) var count = 0

    /// Creates a node; nil if the bytes are not a valid node.
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

/// The bounds of a dimension, for comparisons with the tree's coordinates.
struct CoordinateLimits {
    private let lower: Double
    private let upper: Double

    init(_ bounds: ColumnBounds?) {
        lower = bounds?.leastMaximum ?? -.infinity
        upper = bounds?.greatestMinimum ?? .infinity
    }

    /// Returns the share of a range that is within the bounds, from 0 to 1; a small number if it only touches them.
    func share(of least: Double, _ greatest: Double) -> Double {
        if least >= lower, greatest <= upper { return 1 }
        let first = max(least, lower)
        let last = min(greatest, upper)
        if first > last { return 0 }
        let share = (last - first) / (greatest - least)
        // The share of an infinite range is unknown.
        return share.isFinite ? max(share, 1e-9) : 0.5
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func bigEndian<Number: FixedWidthInteger>(_ type: Number.Type, _ offset: Int) -> Number {
        Number(bigEndian: loadUnaligned(fromByteOffset: offset, as: type))
    }
}
