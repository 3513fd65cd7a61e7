public import AshlarSQLite

@_exported public import struct AshlarSQLite.SQLiteError
// The types of the SQLite module that are public in this module.
@_exported public import enum AshlarSQLite.SQLiteValue
@_exported public import struct AshlarSQLite.StatementEvent
@_exported public import struct AshlarSQLite.StatementObserver

/// The statement that a row's values are bound to, for generated code.
@_spi(Generated) public typealias Statement = AshlarSQLite.Statement
