// The one place that selects the SQLite library. A file that imports this module also sees SQLite's functions.
#if canImport(SQLite3)
    @_exported public import SQLite3
#elseif StaticSQLite
    @_exported public import CSQLiteStatic
#else
    @_exported public import CSQLite
#endif
