import Foundation

/// What rows and statements have to do with a value in memory, which its coding does where it has one.
///
/// The cases of the types stand here one by one: this is what fetches and saves spend their time in, and a generic
/// function would look up each type as it runs.
extension StoredType {
    /// Makes the value of a column. Nothing is made when it throws.
    ///
    /// The types that most columns have stand in the loop over the columns; the others would only make it slower.
    @inline(__always)
    func decode(
        _ row: Row, _ column: Int32, into address: UnsafeMutableRawPointer, _ destination: EntityNumber
    ) throws(RowError) {
        switch self {
        case .int64: address.initialize(Int64.self, to: try row.int64(column))
        case .double: address.initialize(Double.self, to: try row.double(column))
        case .bool: address.initialize(Bool.self, to: try row.bool(column))
        case .date: address.initialize(Date.self, to: try row.date(column))
        case .string: address.initialize(String.self, to: try row.string(column))
        case .optionalInt64: address.initialize(Int64?.self, to: row.optionalInt64(column))
        case .optionalDouble: address.initialize(Double?.self, to: row.optionalDouble(column))
        case .optionalBool: address.initialize(Bool?.self, to: row.optionalBool(column))
        case .optionalDate: address.initialize(Date?.self, to: row.optionalDate(column))
        case .optionalString: address.initialize(String?.self, to: row.optionalString(column))
        case .identifier:
            address.initialize(PersistentIdentifier?.self, to: row.identifier(column, destination))
        default: try decodeSeldom(row, column, into: address)
        }
    }

    @inline(never)
    private func decodeSeldom(
        _ row: Row, _ column: Int32, into address: UnsafeMutableRawPointer
    ) throws(RowError) {
        switch self {
        case .int16: address.initialize(Int16.self, to: try row.integer(column))
        case .int32: address.initialize(Int32.self, to: try row.integer(column))
        case .float: address.initialize(Float.self, to: try row.float(column))
        case .data, .externalData: address.initialize(Data.self, to: try row.data(column))
        case .uuid: address.initialize(UUID.self, to: try row.uuid(column))
        case .url: address.initialize(URL.self, to: try row.url(column))
        case .decimal: address.initialize(Decimal.self, to: try row.decimal(column))
        case .optionalInt16: address.initialize(Int16?.self, to: try row.optionalInteger(column))
        case .optionalInt32: address.initialize(Int32?.self, to: try row.optionalInteger(column))
        case .optionalFloat: address.initialize(Float?.self, to: row.optionalFloat(column))
        case .optionalData, .optionalExternalData: address.initialize(Data?.self, to: try row.optionalData(column))
        case .optionalUUID: address.initialize(UUID?.self, to: try row.optionalUUID(column))
        case .optionalURL: address.initialize(URL?.self, to: try row.optionalURL(column))
        case .optionalDecimal: address.initialize(Decimal?.self, to: try row.optionalDecimal(column))
        default: break
        }
    }

    /// Binds the value to a parameter.
    @inline(__always)
    func bind(
        _ address: UnsafeRawPointer, to statement: Statement, _ position: Int32,
        _ coding: @autoclosure () -> (any ValueCoding.Type)?
    ) {
        switch self {
        case .int64: statement.bind(address.value(Int64.self), position)
        case .double: statement.bind(address.value(Double.self), position)
        case .bool: statement.bind(address.value(Bool.self), position)
        case .date: statement.bind(address.value(Date.self), position)
        case .string: statement.bind(address.value(String.self), position)
        case .optionalInt64: statement.bind(address.value(Int64?.self), position)
        case .optionalDouble: statement.bind(address.value(Double?.self), position)
        case .optionalBool: statement.bind(address.value(Bool?.self), position)
        case .optionalDate: statement.bind(address.value(Date?.self), position)
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
        case .float: statement.bind(address.value(Float.self), position)
        case .data: statement.bind(address.value(Data.self), position)
        case .uuid: statement.bind(address.value(UUID.self), position)
        case .url: statement.bind(address.value(URL.self), position)
        case .decimal: statement.bind(address.value(Decimal.self), position)
        case .optionalInt16: statement.bind(address.value(Int16?.self), position)
        case .optionalInt32: statement.bind(address.value(Int32?.self), position)
        case .optionalFloat: statement.bind(address.value(Float?.self), position)
        case .optionalData: statement.bind(address.value(Data?.self), position)
        case .optionalUUID: statement.bind(address.value(UUID?.self), position)
        case .optionalURL: statement.bind(address.value(URL?.self), position)
        case .optionalDecimal: statement.bind(address.value(Decimal?.self), position)
        case .externalData: statement.bindExternal(address.value(Data.self), position)
        case .optionalExternalData: statement.bindExternal(address.value(Data?.self), position)
        default: break
        }
    }
}
