import AshlarSQLite

extension Connection {
    /// The statement that reads a row of an entity by its identifier, found without looking at its text.
    func statementForOne(_ entity: EntityDescription) throws(SQLiteError) -> Statement {
        try statement(of: entity, number: Int(entity.number.entity), entity.selectOneStatement)
    }
}
