import AshlarSQLite
import Containers

/// The additional data for binding the values of rows.
final class RowBinding {
    /// The rowids that a save gave to objects which had temporary ones.
    var permanentRowIDs = PermanentRowIDs()
    /// Where values go that are too large for their rows; nil where all are kept in them.
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

    /// The rowids that a save gave to objects which had temporary ones.
    var permanentRowIDs: PermanentRowIDs {
        get { rowBinding?.permanentRowIDs ?? PermanentRowIDs() }
        set { madeRowBinding.permanentRowIDs = newValue }
    }

    /// Where values go that are too large for their rows; nil where all are kept in them.
    var externalData: ExternalDataWriter? {
        get { rowBinding?.externalData }
        set { if newValue != nil || attachment != nil { madeRowBinding.externalData = newValue } }
    }

    /// Binds the rowid of an object, the one that the save gave it where it had none.
    public func bind(_ value: PersistentIdentifier?, _ position: Int32) {
        guard let value else { return bindNull(position) }
        bind(value.isTemporary ? permanentRowIDs[value.rowID] ?? value.rowID : value.rowID, position)
    }

    /// Binds the rowid of an object in the table of an entity; any other is an error when the statement runs.
    func bind(_ value: PersistentIdentifier?, _ position: Int32, _ destination: EntityNumber) {
        guard let value else { return bindNull(position) }
        if value.isTemporary || !value.isRow(of: destination.root, in: store) { refuse(value) }
        bind(value.rowID, position)
    }

    private func refuse(_ value: PersistentIdentifier) {
        bindingError = bindingError ?? InvalidReference(identifier: value)
    }
}

/// An identifier that names no row of the entity that is asked for: it is temporary, or of another entity or store.
struct InvalidReference: Error, Sendable, Hashable, CustomStringConvertible {
    /// The identifier that was given.
    var identifier: PersistentIdentifier

    var description: String {
        identifier.isTemporary
            ? "an object was never saved; save it first"
            : "\(identifier) is of another entity or another store"
    }
}
