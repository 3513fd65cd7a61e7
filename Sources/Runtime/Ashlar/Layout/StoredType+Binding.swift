import AshlarSQLite
import SystemFoundation

/// Binding a value in memory, by its coding if it has one. `Row+Values.swift` contains the functions that read values.
///
/// Each type has its own case. Saves spend most of their time here, and a generic function would look up each type at
/// run time.
extension StoredType {
    /// Binds the value to a parameter.
    @inline(__always)
    func bind(
        _ address: UnsafeRawPointer, to statement: Statement, _ position: Int32,
        _ coding: @autoclosure () -> (any ValueCoding.Type)?
    ) {
        switch self {
        case .int64: statement.bind(address.value(Int64.self), position)
        case .double: statement.bindNumber(address.value(Double.self), position)
        case .bool: statement.bind(address.value(Bool.self), position)
        case .date: statement.bindNumber(address.value(Date.self).timeIntervalSinceReferenceDate, position)
        case .string: statement.bind(address.value(String.self), position)
        case .optionalInt64: statement.bind(address.value(Int64?.self), position)
        case .optionalDouble: statement.bindNumber(address.value(Double?.self), position)
        case .optionalBool: statement.bind(address.value(Bool?.self), position)
        case .optionalDate:
            statement.bindNumber(address.value(Date?.self)?.timeIntervalSinceReferenceDate, position)
        case .optionalString: statement.bind(address.value(String?.self), position)
        case .identifier: statement.bind(address.value(PersistentIdentifier?.self), position)
        case .coded: coding()?.bind(at: address, to: statement, position)
        default: bindSeldom(address, to: statement, position)
        }
    }

    @inline(never)
    private func bindSeldom(_ address: UnsafeRawPointer, to statement: Statement, _ position: Int32) {
        switch self {
        case .int16: statement.bind(address.value(Int16.self), position)
        case .int32: statement.bind(address.value(Int32.self), position)
        case .float: statement.bindNumber(Double(address.value(Float.self)), position)
        case .data: statement.bind(address.value(Data.self), position)
        case .uuid: statement.bind(address.value(UUID.self), position)
        case .url: statement.bind(address.value(URL.self), position)
        case .decimal: statement.bindRequired(address.value(Decimal.self), position)
        case .optionalInt16: statement.bind(address.value(Int16?.self), position)
        case .optionalInt32: statement.bind(address.value(Int32?.self), position)
        case .optionalFloat: statement.bindNumber(address.value(Float?.self).map { Double($0) }, position)
        case .optionalData: statement.bind(address.value(Data?.self), position)
        case .optionalUUID: statement.bind(address.value(UUID?.self), position)
        case .optionalURL: statement.bind(address.value(URL?.self), position)
        case .optionalDecimal: statement.bindRequired(address.value(Decimal?.self), position)
        case .externalData: statement.bindExternal(address.value(Data.self), position)
        case .optionalExternalData: statement.bindExternal(address.value(Data?.self), position)
        default: break
        }
    }
}

extension Statement {
    /// Binds a number. NaN makes the statement fail when it runs.
    @inline(__always)
    func bindNumber(_ value: Double, _ position: Int32) {
        if value.isNaN { refuseNaN() }
        bind(value, position)
    }

    /// Binds a number, or NULL for nil.
    @inline(__always)
    func bindNumber(_ value: Double?, _ position: Int32) {
        if let value { bindNumber(value, position) } else { bindNull(position) }
    }
}
