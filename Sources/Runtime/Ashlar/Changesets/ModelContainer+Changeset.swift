import AshlarSQLite
import FileErrors
import SystemFoundation

extension ModelContainer {
    /// Returns the present rows of the objects that a part of the store's history changed, to be applied to another
    /// store.
    ///
    ///     let changes = try container.changeset(.fetchHistory(after: token).by(excluding: ["sync"]))
    ///     try await send(changes)
    ///     token = changes.token
    ///
    /// Exclude the author with which you apply the changes of others, so that these are not sent back. The changeset
    /// contains large values completely, and is created in memory.
    ///
    /// - Parameter request: The part of the history.
    /// - Throws: ``HistoryError`` if the history is off or the token has expired.
    ///   ``ChangesetError/unreadableFile(_:reason:)`` if the file of a large value is missing. ``StoreError`` if the
    ///   store cannot be read.
    public func changeset(_ request: PersistentHistoryChangeRequest) throws -> Changeset {
        try requireOneStore("making a changeset")
        return try readHistory { readers in
            try changeset(of: readers.readers[0].net(request), readers.readers[0])
        }
    }

    /// Returns the rows of a part of the history.
    ///
    /// - Parameter tellsTransientRows: Whether rows that were inserted and deleted are included as deleted. The primary
    ///   may have them from an exchange whose answer was lost.
    func changeset(
        of net: HistoryNet, _ reader: HistoryReader, tellsTransientRows: Bool = false
    ) throws -> Changeset {
        try changeset(of: net, reader) { row, key, stored, shape in
            if tellsTransientRows, stored == nil { return (.delete, shape.keyValues(key)) }
            return try change(of: row, key, stored, shape, reader.connection)
        }
    }

    /// Returns the present rows with all values, or as deleted if they do not exist.
    func rows(
        of net: HistoryNet, without others: [String: Set<HistoryNet.Key>], _ reader: HistoryReader
    ) throws -> Changeset {
        try changeset(of: net, reader) { _, key, stored, shape in
            if others[shape.name]?.contains(key) == true { return nil }
            guard let stored else { return (.delete, shape.keyValues(key)) }
            return (.insert, try stored.map { try Self.wholeContent($0, reader.connection) })
        }
    }

    private typealias ToldChange = (operation: ChangesetWriter.Operation, values: [SQLiteValue?])

    private func changeset(
        of net: HistoryNet, _ reader: HistoryReader,
        _ tell: (HistoryNet.Row, HistoryNet.Key, [SQLiteValue]?, StoredTable) throws -> ToldChange?
    ) throws -> Changeset {
        var writer = ChangesetWriter()
        var columns: [String: [String]] = [:]
        for table in TrackedTable.tables(of: model) {
            guard let rows = net.rows[table.name], !rows.isEmpty else { continue }
            let shape = try StoredTable(table, reader.connection)
            columns[table.name] = shape.columns
            var isBegun = false
            for (key, row) in rows.sorted(by: { $0.key < $1.key }) {
                let stored = try shape.row(key, reader.connection)
                guard let change = try tell(row, key, stored, shape) else { continue }
                if !isBegun { writer.begin(table.name, keys: shape.keys) }
                isBegun = true
                writer.add(change.operation, change.values)
            }
        }
        var changeset = Changeset(data: writer.data)
        changeset.columns = columns
        changeset.token = reader.currentToken
        return changeset
    }

    private func change(
        of row: HistoryNet.Row, _ key: HistoryNet.Key, _ stored: [SQLiteValue]?, _ shape: StoredTable,
        _ connection: Connection
    ) throws -> ToldChange? {
        guard let stored else {
            // A row that was inserted and deleted in the same part of the history is omitted.
            return row.isNew ? nil : (.delete, shape.keyValues(key))
        }
        let values = try stored.map { try Self.wholeContent($0, connection) }
        if row.isNew { return (.insert, values) }
        var told: [SQLiteValue?] = []
        for (index, name) in shape.columns.enumerated() {
            let isKey = shape.keys[index] != 0
            let isChanged = row.columns.map { $0.contains(name) || name == "version$" } ?? true
            // Derived columns are omitted. The other store computes them.
            told.append(isKey || isChanged && !shape.derived.contains(name) ? values[index] : nil)
        }
        let hasNews = zip(shape.columns, told).contains { name, value in
            value != nil && name != "version$" && !shape.keyNames.contains(name)
        }
        return hasNews ? (.update, told) : nil
    }

    /// Returns a value with its bytes in place of a reference to a file or to the log that the store follows. Other
    /// stores may follow no log.
    static func wholeContent(_ value: SQLiteValue, _ connection: Connection) throws -> SQLiteValue {
        guard case .blob(let blob) = value, let hash = TaggedBlob.loggedHash(blob),
            let path = DatabaseHandle(connection.database).path(of: "main")
        else { return try content(value, connection) }
        let values = LoggedValues(storePath: path)
        do {
            return stored(try values.content(hash))
        } catch {
            throw ChangesetError.unreadableFile(values.file(hash), reason: "\(error)")
        }
    }

    /// Returns a value with the bytes of its file in place of a reference to the file.
    package static func content(_ value: SQLiteValue, _ connection: Connection) throws -> SQLiteValue {
        guard case .blob(let blob) = value, let reference = blob.withUnsafeBytes(TaggedBlob.reference),
            let folder = ExternalDataFolder(of: connection.database)
        else { return value }
        let content: Data
        do {
            content = try folder.data(of: reference)
        } catch let error as ExternalDataLengthError {
            throw ChangesetError.unreadableFile(folder.file(reference.name), reason: error.description)
        } catch {
            throw ChangesetError.unreadableFile(folder.file(reference.name), reason: FileErrorReason.text(error))
        }
        return stored(content)
    }

    /// Returns the content of a file in the form of a row's value.
    private static func stored(_ content: Data) -> SQLiteValue {
        .blob(TaggedBlob.isTagged(content) ? Data(TaggedBlob.inlineTag) + content : content)
    }
}
