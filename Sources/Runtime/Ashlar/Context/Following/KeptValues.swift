/// The old or new values of an object, of one column or of all, for undo.
///
/// Many objects have one before a change and one after it. A value of one column is stored in place, because an
/// allocation and its reference counting would take longer than the change.
enum KeptValues {
    /// Nothing changed.
    case none
    /// The value of the only column that changed or is needed.
    case one(PlainValue)
    case all(ValuesBox)
}

extension ManagedObject {
    /// Returns the object's values before columns change, at least of these columns.
    ///
    /// - Parameter isFirst: Whether the object's original values, if any, were kept just now for the same change.
    final func values(before columns: UInt64, isFirst: Bool) -> KeptValues {
        if columns == 0 { return .none }
        guard isFirst else { return presentValues(columns) }
        switch record.original {
        case .none: return presentValues(columns)
        case .one(let original): return .one(original.value)
        case .all(let box): return .all(box)
        }
    }

    /// Returns the object's present values, at least of some columns.
    final func presentValues(_ columns: UInt64) -> KeptValues {
        if let value = plainValue(columns) { .one(value) } else { .all(snapshot()) }
    }

    /// Returns the object's values before further columns change, combined with those before earlier changes.
    final func values(before columns: UInt64, and known: KeptValues) -> KeptValues {
        switch known {
        case .none: values(before: columns, isFirst: false)
        case .one(let value): .all(snapshot(with: value))
        // Changes that others saved may have been read since.
        case .all(let box): changes(since: box, in: columns) == 0 ? known : .all(box.with(columns, of: snapshot()))
        }
    }

    /// Returns the bits of the given columns whose values differ from the kept ones.
    final func changes(since kept: KeptValues, in columns: UInt64) -> UInt64 {
        switch kept {
        case .none: return 0
        case .all(let box): return changes(since: box, in: columns)
        case .one(let value):
            let bit = Self.bit(of: value.number)
            return columns & bit != 0 && differs(from: value) ? bit : 0
        }
    }

    /// Sets columns that are not references to kept values, as a change by the program would.
    final func take(_ kept: KeptValues, _ columns: UInt64) {
        switch kept {
        case .none: break
        case .all(let box):
            let changed = changes(since: box, in: columns)
            if changed == 0 { return }
            _ashlarWillChange(changed)
            restore(box, columns: changed)
        case .one(let value):
            if columns & Self.bit(of: value.number) != 0 { take(value) }
        }
    }
}

extension KeptValues {
    /// The identifier in a foreign key column.
    func identifier(inColumn number: Int, _ layout: ValuesLayout) -> PersistentIdentifier? {
        guard let (column, _) = layout.column(number), column.pointee.slot.type == .identifier else { return nil }
        switch self {
        case .none: return nil
        case .one(let value):
            return value.number == number ? value.withAddress { $0.value(PersistentIdentifier?.self) } : nil
        case .all(let box):
            return UnsafeRawPointer(box.values + column.pointee.offset).value(PersistentIdentifier?.self)
        }
    }

    /// Completes kept values of an object with its present values.
    func all(of object: ManagedObject) -> KeptValues {
        switch self {
        case .none: .all(object.snapshot())
        case .one(let value): .all(object.snapshot(with: value))
        case .all: self
        }
    }

    /// Returns these values, combined with values of more columns that were kept separately.
    ///
    /// - Parameter more: The columns to take from `others`, even if a box of this one has values for them.
    func adding(_ more: UInt64, of others: KeptValues, _ object: ManagedObject) -> KeptValues {
        if more == 0 { return self }
        switch (self, others) {
        case (.none, _): return others
        case (_, .none): return self
        case (.one(let value), .all(let box)): return .all(box.with(value))
        case (.all(let box), .one(let value)): return .all(box.with(value))
        case (.all(let box), .all(let other)): return .all(box.with(more, of: other))
        case (.one, .one(let other)):
            return .all(object.snapshot()).adding(more, of: .one(other), object).adding(more, of: self, object)
        }
    }
}

extension ValuesBox {
    /// Returns a copy with another value of a column.
    fileprivate func with(_ value: PlainValue) -> ValuesBox {
        let box = copy()
        box.put(value)
        return box
    }

    /// Returns a copy with another box's values of some columns.
    fileprivate func with(_ columns: UInt64, of other: ValuesBox) -> ValuesBox {
        let box = copy()
        for property in layout.properties where property.columns & columns != 0 {
            layout.put(columns, of: property, from: other.values, into: box.values, inObject: false)
        }
        return box
    }

    /// Returns the bits of the columns whose values differ in another box.
    func changes(to other: ValuesBox) -> UInt64 {
        var changes: UInt64 = 0
        for index in 0..<layout.writings.count {
            let writing = layout.writings[index]
            if layout.differs(layout.columns[Int(writing.column)], other.values, from: values, inObject: false) {
                changes |= writing.bit
            }
        }
        return changes
    }

    private func copy() -> ValuesBox { ValuesBox.make(layout) { layout.copy(values, to: $0) } }
}
