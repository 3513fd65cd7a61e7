import AshlarSQLite

extension Connection {
    /// The statement that reads a row of an entity by its identifier, found without looking at its text.
    func statementForOne(_ entity: EntityDescription) throws(SQLiteError) -> Statement {
        try statement(of: entity, number: Int(entity.number.entity) * 2, entity.selectOneStatement)
    }

    /// The statement that reads the rows whose identifiers are in a JSON array, found in the same way.
    func statementForMany(_ entity: EntityDescription) throws(SQLiteError) -> Statement {
        try statement(of: entity, number: Int(entity.number.entity) * 2 + 1, entity.selectManyStatement)
    }
}
