import AshlarSQLite
import Containers

/// The additional data for binding the values of rows.
final class RowBinding {
    /// The rowids that a save assigned to objects with temporary ones.
    var permanentRowIDs = PermanentRowIDs()
    /// The writer of values that are too large for their rows; nil if rows hold all values.
    var externalData: ExternalDataWriter?
}

@_spi(Generated) extension Statement {
    private var rowBinding: RowBinding? {
        attachment.map { unsafeDowncast($0, to: RowBinding.self) }
    }

    private var madeRowBinding: RowBinding {
        if let rowBinding { return rowBinding }
        let binding = RowBinding()
        attachment = binding
        return binding
    }

    /// The rowids that a save assigned to objects with temporary ones.
    var permanentRowIDs: PermanentRowIDs {
        get { rowBinding?.permanentRowIDs ?? PermanentRowIDs() }
        set { madeRowBinding.permanentRowIDs = newValue }
    }

    /// The writer of values that are too large for their rows; nil if rows hold all values.
    var externalData: ExternalDataWriter? {
        get { rowBinding?.externalData }
        set { if newValue != nil || attachment != nil { madeRowBinding.externalData = newValue } }
    }

    /// Binds the rowid of an object: the one that the save assigned if it had a temporary one.
    public func bind(_ value: PersistentIdentifier?, _ position: Int32) {
        guard let value else { return bindNull(position) }
        bind(value.isTemporary ? permanentRowIDs[value.rowID] ?? value.rowID : value.rowID, position)
    }

    /// Binds the rowid of an object of an entity's table. For any other object, running the statement throws an error.
    func bind(_ value: PersistentIdentifier?, _ position: Int32, _ destination: EntityNumber) {
        guard let value else { return bindNull(position) }
        if value.isTemporary || !value.isRow(of: destination.root, in: store) { refuse(value) }
        bind(value.rowID, position)
    }

    private func refuse(_ value: PersistentIdentifier) {
        bindingError = bindingError ?? InvalidReference(identifier: value)
    }
}

/// An error for an identifier that names no row of the expected entity: it is temporary, or of another entity or store.
struct InvalidReference: Error, Sendable, Hashable, CustomStringConvertible {
    /// The invalid identifier.
    var identifier: PersistentIdentifier

    var description: String {
        identifier.isTemporary
            ? "an object was never saved; save it first"
            : "\(identifier) belongs to another entity or another store"
    }
}
