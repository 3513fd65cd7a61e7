import AshlarSQLite
@_exported public import struct AshlarSQLite.SQLiteError
// What this module's users see of the one that talks to SQLite.
@_exported public import enum AshlarSQLite.SQLiteValue
@_exported public import class AshlarSQLite.Statement
@_exported public import struct AshlarSQLite.StatementEvent
@_exported public import struct AshlarSQLite.StatementObserver
