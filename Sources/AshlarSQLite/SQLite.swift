// The one place that says where SQLite comes from. Whoever imports this module sees SQLite's own functions, too.
#if canImport(SQLite3)
    @_exported public import SQLite3
#elseif StaticSQLite
    @_exported public import CSQLiteStatic
#else
    @_exported public import CSQLite
#endif
