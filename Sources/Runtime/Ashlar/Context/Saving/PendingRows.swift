import AshlarSQLite
import Containers

/// The rows that one statement writes of a range of rowids, with the objects whose values they get.
///
/// To run a statement for each row takes SQLite twice the instructions of one for all rows, which opens its cursors once.
/// The statement asks for each row of the range whether it is meant, and for the values of those that are:
///
/// ```sql
/// UPDATE "Post" SET "version$" = "version$" + 1, "likes" = ashlar_pending_value("id$", 0)
/// WHERE "id$" BETWEEN ?1 AND ?2 AND ashlar_is_pending("id$", "version$")
/// ```
final class PendingRows {
    // What checked accesses would cost stands beside ``PendingChanges``.

    struct Row {
        let rowID: Int64
        /// The version that the row must have to be written.
        let version: Int64
        /// Of the save, which keeps it.
        unowned(unsafe) let object: ManagedObject
        /// Whether the statement found the row in that version.
        fileprivate(set) var isFound = false

        init(rowID: Int64, version: Int64, object: ManagedObject) {
            (self.rowID, self.version, self.object) = (rowID, version, object)
        }
    }

    /// A column to be written, and the depth of the class that declares it.
    typealias Column = (column: ValuesLayout.Column, depth: Int)

    /// In the order of their rowids, without gaps wider than ``greatestGap``.
    @exclusivity(unchecked) private(set) var rows: ContiguousArray<Row> = []
    @exclusivity(unchecked) private(set) var foundCount = 0
    /// Whether a value cannot be written.
    @exclusivity(unchecked) private(set) var isRefused = false
    @exclusivity(unchecked) private var columns: [Column] = []
    @exclusivity(unchecked) private var permanentRowIDs = PermanentRowIDs()
    @exclusivity(unchecked) private var position = 0

    /// SQLite keeps the pages that a statement changes as they were until it ends, in memory up to 64 KiB: that many rows
    /// lie in that many pages of 4 KiB at most.
    static let greatestCount = 16
    /// Rows that are not meant cost being looked at.
    static let greatestGap: Int64 = 4

    /// What a statement says after its columns.
    static let condition =
        " WHERE \"id$\" BETWEEN ?1 AND ?2 AND ashlar_is_pending(\"id$\", \"version$\")"

    init(_ connection: Connection) throws(SQLiteError) {
        let this = Unmanaged.passUnretained(self).toOpaque()
        try connection.addDirectFunction("ashlar_is_pending", argumentCount: 2, owner: this) {
            guard let call = FunctionCall($0, $1, $2) else { return }
            call.give(PendingRows.of(call) { $0.find(call.integer(0), version: call.integer(1)) } ? 1 : 0)
        }
        try connection.addDirectFunction("ashlar_pending_value", argumentCount: 2, owner: this) {
            guard let call = FunctionCall($0, $1, $2) else { return }
            PendingRows.of(call) { $0.giveValue(ofRow: call.integer(0), Int(call.integer(1)), to: call) }
        }
    }

    private static func of<Result>(_ call: FunctionCall, _ body: (PendingRows) -> Result) -> Result {
        let address = call.owner.unsafelyUnwrapped
        return Unmanaged<PendingRows>.fromOpaque(address)._withUnsafeGuaranteedRef(body)
    }

    /// The columns with some numbers; nil where there is one whose values only a parameter can take.
    static func columns(_ numbers: [Int], _ layout: ValuesLayout) -> [Column]? {
        var columns: [Column] = []
        for number in numbers {
            guard let (column, depth) = layout.column(number), column.pointee.enclosing.isEmpty,
                !column.pointee.isPresence, column.pointee.slot.hasSQLiteValue
            else { return nil }
            columns.append((column.pointee, depth))
        }
        return columns
    }

    /// Forgets the rows of before.
    func begin(_ columns: [Column] = [], _ permanentRowIDs: PermanentRowIDs = PermanentRowIDs()) {
        rows.removeAll(keepingCapacity: true)
        (foundCount, position, isRefused) = (0, 0, false)
        (self.columns, self.permanentRowIDs) = (columns, permanentRowIDs)
    }

    func append(_ row: Row) { rows.append(row) }

    /// Lets go of the save.
    func end() { begin() }

    // MARK: What the statement asks

    private func find(_ rowID: Int64, version: Int64) -> Bool {
        guard seek(rowID), rows[position].version == version else { return false }
        if !rows[position].isFound {
            rows[position].isFound = true
            foundCount += 1
        }
        return true
    }

    private func seek(_ rowID: Int64) -> Bool {
        // Rows are asked for in their order, in one pass or in two.
        if position < rows.count, rows[position].rowID == rowID { return true }
        if position == rows.count || rows[position].rowID > rowID { position = 0 }
        while position < rows.count, rows[position].rowID < rowID { position += 1 }
        return position < rows.count && rows[position].rowID == rowID
    }

    private func giveValue(ofRow rowID: Int64, _ number: Int, to call: FunctionCall) {
        guard seek(rowID), number >= 0, number < columns.count else { return refuse(call) }
        let (column, depth) = columns[number]
        rows[position].object._ashlarLend(depth) { base in
            let address = UnsafeRawPointer(base + column.storedOffset)
            switch column.slot.type {
            case .int64: call.give(address.value(Int64.self))
            case .identifier:
                guard let identifier = address.value(PersistentIdentifier?.self) else { return }
                let rowID = identifier.rowID
                call.give(identifier.isTemporary ? permanentRowIDs[rowID] ?? rowID : rowID)
            default:
                let value = column.slot.sqliteValue(address)
                if value.isNull, column.slot.isNotANumber(address) { return refuse(call) }
                if case .blob(let data) = value, TaggedBlob.isTagged(data) { return refuse(call) }
                call.give(value)
            }
        }
    }

    private func refuse(_ call: FunctionCall) {
        isRefused = true
        call.fail("a value cannot be written")
    }
}

extension ValueSlot {
    /// Whether ``sqliteValue(_:)`` is what a parameter would be bound to.
    fileprivate var hasSQLiteValue: Bool {
        switch type {
        case .coded: isRawValue
        case .externalData, .optionalExternalData: false
        default: true
        }
    }
}

extension Connection {
    /// The rows that a statement writes together.
    func pendingRows() throws(SQLiteError) -> PendingRows {
        if let rows = state.pendingRows { return unsafeDowncast(rows, to: PendingRows.self) }
        let rows = try PendingRows(self)
        state.pendingRows = rows
        return rows
    }

    /// Whether a row was refused of those that a statement wrote together.
    var hasRefusedPendingRows: Bool { (state.pendingRows as? PendingRows)?.isRefused == true }
}
