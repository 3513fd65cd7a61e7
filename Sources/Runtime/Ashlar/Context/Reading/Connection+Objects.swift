import AshlarSQLite

extension Connection {
    /// Returns the statement that reads a row of an entity by its identifier. It is looked up by number, not by text.
    func statementForOne(_ entity: EntityDescription) throws(SQLiteError) -> Statement {
        try statement(of: entity, number: Int(entity.number.entity) * 2, entity.selectOneStatement)
    }

    /// Returns the statement that reads the rows whose identifiers are in a JSON array, also by number.
    func statementForMany(_ entity: EntityDescription) throws(SQLiteError) -> Statement {
        try statement(of: entity, number: Int(entity.number.entity) * 2 + 1, entity.selectManyStatement)
    }
}
