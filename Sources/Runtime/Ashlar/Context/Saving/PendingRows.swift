import AshlarSQLite
import Containers

/// The rows in a range of rowids that one statement writes, with the objects that supply their values.
///
/// Running a statement for each row takes SQLite twice the instructions of one statement for all, which opens its
/// cursors once. The statement calls functions to find out whether a row of the range is to be written, and to get its
/// values:
///
/// ```sql
/// UPDATE "Post" SET "version$" = "version$" + 1, "likes" = ashlar_pending_value("id$", 0)
/// WHERE "id$" BETWEEN ?1 AND ?2 AND ashlar_is_pending("id$", "version$")
/// ```
final class PendingRows {
    // See ``PendingChanges`` for the cost of checked accesses.

    struct Row {
        let rowID: Int64
        /// The version that the row must have to be written.
        let version: Int64
        /// The object, which the save retains.
        unowned(unsafe) let object: ManagedObject
        /// Whether the statement found the row in that version.
        fileprivate(set) var isFound = false

        init(rowID: Int64, version: Int64, object: ManagedObject) {
            (self.rowID, self.version, self.object) = (rowID, version, object)
        }
    }

    /// A column to be written, and the depth of the class that declares it.
    typealias Column = (column: ValuesLayout.Column, depth: Int)

    /// The rows, sorted by rowid, without gaps wider than ``greatestGap``.
    @exclusivity(unchecked) private(set) var rows: ContiguousArray<Row> = []
    @exclusivity(unchecked) private(set) var foundCount = 0
    /// Whether a value cannot be written.
    @exclusivity(unchecked) private(set) var isRefused = false
    @exclusivity(unchecked) private var columns: [Column] = []
    @exclusivity(unchecked) private var permanentRowIDs = PermanentRowIDs()
    @exclusivity(unchecked) private var position = 0

    /// SQLite keeps the earlier contents of the pages that a statement changes until it ends, in memory up to 64 KiB.
    /// This many rows lie in at most as many pages of 4 KiB.
    static let greatestCount = 16
    /// Rows between the written ones cost a visit each.
    static let greatestGap: Int64 = 4

    /// The end of a statement, after its columns.
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

    /// Returns the columns of numbers; nil if the values of one must be bound as parameters.
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

    /// Forgets the former rows.
    func begin(_ columns: [Column] = [], _ permanentRowIDs: PermanentRowIDs = PermanentRowIDs()) {
        rows.removeAll(keepingCapacity: true)
        (foundCount, position, isRefused) = (0, 0, false)
        (self.columns, self.permanentRowIDs) = (columns, permanentRowIDs)
    }

    func append(_ row: Row) { rows.append(row) }

    /// Releases the save.
    func end() { begin() }

    // MARK: Called by the statement

    private func find(_ rowID: Int64, version: Int64) -> Bool {
        guard seek(rowID), rows[position].version == version else { return false }
        if !rows[position].isFound {
            rows[position].isFound = true
            foundCount += 1
        }
        return true
    }

    private func seek(_ rowID: Int64) -> Bool {
        // The statement visits rows in their order, in one pass or two.
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
    /// Whether ``sqliteValue(_:)`` returns the value that a parameter is bound to.
    fileprivate var hasSQLiteValue: Bool {
        switch type {
        case .coded: isRawValue
        case .externalData, .optionalExternalData: false
        default: true
        }
    }
}

extension Connection {
    /// Returns the connection's rows that a statement writes together.
    func pendingRows() throws(SQLiteError) -> PendingRows {
        if let rows = state.pendingRows { return unsafeDowncast(rows, to: PendingRows.self) }
        let rows = try PendingRows(self)
        state.pendingRows = rows
        return rows
    }

    /// Whether a row was refused among those that a statement wrote together.
    var hasRefusedPendingRows: Bool { (state.pendingRows as? PendingRows)?.isRefused == true }
}
