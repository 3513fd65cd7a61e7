public import SystemFoundation

/// A row of a fetch that is lent to a closure for one call, without copying texts and blobs.
///
/// ``ModelContext/forEachRow(_:_:)`` provides it. Each property of the values struct is read by its name, when it is
/// used:
///
/// ```swift
/// try context.forEachRow(Post.where { $0.likes > 10 }) { row in
///     likes += try row.likes
///     letters += try row.title.count
/// }
/// ```
///
/// Numbers, dates and identifiers are values. A text is a `UTF8Span` and a blob a `RawSpan` of SQLite's memory. Neither
/// can leave the closure; `String(copying:)` creates a string to keep. `row[dynamicMember: \.home.street]` reads one
/// part of a composite.
///
/// Reading a property throws a ``RowError`` if the row holds an invalid value. Let it propagate to
/// ``ModelContext/forEachRow(_:_:)``, which adds the row and the property.
@dynamicMemberLookup
public struct RowView<Values: EntityValues>: ~Copyable, ~Escapable {
    @usableFromInline let row: LentColumns
    /// The lender, for the rarely used parts of reads and for copies that live as long as the row.
    @usableFromInline let lender: Unmanaged<RowLender>

    @_lifetime(borrow lender)
    init(_ lender: borrowing RowLender) {
        row = lender.columns
        self.lender = Unmanaged.passUnretained(copy lender)
    }

    /// The identifier of the row's object.
    public var identifier: PersistentIdentifier { lender._withUnsafeGuaranteedRef { $0.identifier } }

    /// The value of a property.
    ///
    /// A property that the program added to the struct is read from a copy of the entire row, and so are parts behind
    /// `?`.
    @inlinable @inline(__always)
    public subscript<Value>(dynamicMember keyPath: KeyPath<Values, Value>) -> Value {
        get throws(RowError) {
            // If the compiler can compute the offset, the key path is never created, which would take longer than
            // reading a column.
            guard let offset = MemoryLayout<Values>.offset(of: keyPath) else { return try computed(keyPath) }
            // For a known type, the compiler keeps only one of these branches.
            if Value.self == Int64.self {
                if let value = row.int64(offset) { return unsafeBitCast(value, to: Value.self) }
            } else if Value.self == Double.self {
                if let value = row.double(offset) { return unsafeBitCast(value, to: Value.self) }
            } else if Value.self == Bool.self {
                if let value = row.bool(offset) { return unsafeBitCast(value, to: Value.self) }
            } else if Value.self == Date.self {
                if let value = row.date(offset) { return unsafeBitCast(value, to: Value.self) }
            } else if Value.self == Optional<Int64>.self {
                if let value = row.int64OrNil(offset) { return unsafeBitCast(value, to: Value.self) }
            } else if Value.self == Optional<Double>.self {
                if let value = row.doubleOrNil(offset) { return unsafeBitCast(value, to: Value.self) }
            } else if Value.self == Optional<Date>.self {
                if let value = row.dateOrNil(offset) { return unsafeBitCast(value, to: Value.self) }
            } else if Value.self == Optional<PersistentIdentifier>.self {
                if let value = row.reference(offset) { return unsafeBitCast(value, to: Value.self) }
            }
            return try stored(at: offset)
        }
    }

    /// The text of a property, valid during the closure. Invalid UTF-8 is replaced as in a `String`.
    @available(macOS 26.0, iOS 26.0, tvOS 26.0, watchOS 26.0, visionOS 26.0, *)
    @inlinable @inline(__always)
    public subscript(dynamicMember keyPath: KeyPath<Values, String>) -> UTF8Span {
        @_lifetime(copy self)
        get throws(RowError) {
            let bytes = try text(keyPath)
            let span = unsafe UTF8Span(unchecked: Span(_unsafeElements: bytes))
            return unsafe _overrideLifetime(span, copying: self)
        }
    }

    /// The text of an optional property, valid during the closure; nil if it is nil.
    @available(macOS 26.0, iOS 26.0, tvOS 26.0, watchOS 26.0, visionOS 26.0, *)
    @inlinable @inline(__always)
    public subscript(dynamicMember keyPath: KeyPath<Values, String?>) -> UTF8Span? {
        @_lifetime(copy self)
        get throws(RowError) {
            guard let bytes = try optionalText(keyPath) else { return nil }
            let span = unsafe UTF8Span(unchecked: Span(_unsafeElements: bytes))
            return unsafe _overrideLifetime(span, copying: self)
        }
    }

    /// The bytes of a property, valid during the closure.
    @inlinable @inline(__always)
    public subscript(dynamicMember keyPath: KeyPath<Values, Data>) -> RawSpan {
        @_lifetime(copy self)
        get throws(RowError) {
            let bytes = try blob(keyPath)
            return unsafe _overrideLifetime(RawSpan(_unsafeBytes: bytes), copying: self)
        }
    }

    /// The bytes of an optional property, valid during the closure; nil if it is nil.
    @inlinable @inline(__always)
    public subscript(dynamicMember keyPath: KeyPath<Values, Data?>) -> RawSpan? {
        @_lifetime(copy self)
        get throws(RowError) {
            guard let bytes = try blobOrNil(keyPath) else { return nil }
            return unsafe _overrideLifetime(RawSpan(_unsafeBytes: bytes), copying: self)
        }
    }

    /// Returns the UTF-8 of a text, valid during the closure.
    ///
    /// The bytes are those of the `UTF8Span`. Use it on systems that do not have that type.
    ///
    ///     try context.forEachRow(Post.all) { row in print(try row.utf8(\.title).count) }
    ///
    /// - Parameter keyPath: The property.
    /// - Throws: ``RowError`` if the row holds an invalid value.
    @_lifetime(copy self)
    @inlinable @inline(__always)
    public func utf8(_ keyPath: KeyPath<Values, String>) throws(RowError) -> Span<UInt8> {
        let bytes = try text(keyPath)
        return unsafe _overrideLifetime(Span(_unsafeElements: bytes), copying: self)
    }

    /// Returns the UTF-8 of an optional text, valid during the closure; nil if it is nil.
    ///
    /// - Parameter keyPath: The property.
    /// - Throws: ``RowError`` if the row holds an invalid value.
    @_lifetime(copy self)
    @inlinable @inline(__always)
    public func utf8(_ keyPath: KeyPath<Values, String?>) throws(RowError) -> Span<UInt8>? {
        guard let bytes = try optionalText(keyPath) else { return nil }
        return unsafe _overrideLifetime(Span(_unsafeElements: bytes), copying: self)
    }

    // MARK: Reading

    @inlinable @inline(__always)
    func text(_ keyPath: KeyPath<Values, String>) throws(RowError) -> UnsafeBufferPointer<UInt8> {
        guard let offset = MemoryLayout<Values>.offset(of: keyPath) else {
            return keep(try computed(keyPath))
        }
        if let bytes = row.text(offset, lender) { return bytes }
        return keep(try stored(at: offset))
    }

    @inlinable @inline(__always)
    func optionalText(_ keyPath: KeyPath<Values, String?>) throws(RowError) -> UnsafeBufferPointer<UInt8>? {
        guard let offset = MemoryLayout<Values>.offset(of: keyPath) else {
            return keep(try computed(keyPath))
        }
        if let bytes = row.text(offset, lender) { return bytes }
        return row.isNil(offset) ? nil : keep(try stored(at: offset))
    }

    @inlinable @inline(__always)
    func blob(_ keyPath: KeyPath<Values, Data>) throws(RowError) -> UnsafeRawBufferPointer {
        guard let offset = MemoryLayout<Values>.offset(of: keyPath) else {
            return keep(try computed(keyPath))
        }
        if let bytes = try row.blob(offset, lender) { return bytes }
        return keep(try stored(at: offset))
    }

    @inlinable @inline(__always)
    func blobOrNil(_ keyPath: KeyPath<Values, Data?>) throws(RowError) -> UnsafeRawBufferPointer? {
        guard let offset = MemoryLayout<Values>.offset(of: keyPath) else {
            return keep(try computed(keyPath))
        }
        if let bytes = try row.blob(offset, lender) { return bytes }
        return row.isNil(offset) ? nil : keep(try stored(at: offset))
    }

    /// Returns the value of a key path that is not stored in the struct, from a copy of the row.
    @usableFromInline @inline(never)
    func computed<Value>(_ keyPath: KeyPath<Values, Value>) throws(RowError) -> Value {
        try lender.takeUnretainedValue().values(of: Values.self)[keyPath: keyPath]
    }

    /// Returns the value at an offset of the struct, from a copy of its property.
    @usableFromInline @inline(never)
    func stored<Value>(at offset: Int) throws(RowError) -> Value {
        try lender.takeUnretainedValue().value(at: offset)
    }

    @usableFromInline @inline(never)
    func keep(_ text: String) -> UnsafeBufferPointer<UInt8> { lender.takeUnretainedValue().keep(text) }

    @usableFromInline @inline(never)
    func keep(_ text: String?) -> UnsafeBufferPointer<UInt8>? { text.map { keep($0) } }

    @usableFromInline @inline(never)
    func keep(_ data: Data) -> UnsafeRawBufferPointer { lender.takeUnretainedValue().keep(data) }

    @usableFromInline @inline(never)
    func keep(_ data: Data?) -> UnsafeRawBufferPointer? { data.map { keep($0) } }
}
