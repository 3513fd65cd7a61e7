import AshlarSQLite

/// References to objects that may come later in a text. They are kept in a table that is deleted with the connection,
/// so that any number of them takes no memory.
final class DeferredReferences {
    /// A place that waits for an object.
    enum Place {
        /// A column of a row that there is, which gets the number by a statement.
        case column(LoadedReference, Statement)
        case inverse(LoadedInverse)
        case pair(LoadedPairs)
    }

    /// A reference whose object was found.
    struct Found {
        var place: Place
        var row: Int64
        var target: SQLiteValue
        /// The place among those that the object refers to.
        var position: Int
        /// The number of the object in the text.
        var object: Int
    }

    private let connection: Connection
    private let insertion: Statement
    private var places: [Place] = []
    /// Their positions, by the names of relationships.
    private var positions: [String: Int] = [:]

    init(_ connection: Connection) throws(SQLiteError) {
        self.connection = connection
        try connection.execute(
            "CREATE TEMP TABLE IF NOT EXISTS \"ashlar$deferred\" (\"place\", \"row\", \"wanted\", \"position\", \"object\")"
        )
        try connection.execute("DELETE FROM temp.\"ashlar$deferred\"")
        insertion = try connection.prepare(
            "INSERT INTO temp.\"ashlar$deferred\" (\"place\", \"row\", \"wanted\", \"position\", \"object\") "
                + "VALUES (?1, ?2, ?3, ?4, ?5)")
    }

    /// Keeps a reference of a row.
    ///
    /// - Parameters:
    ///   - name: The name of the relationship.
    ///   - place: Returns the place of the references, which is the same for all references of a relationship.
    func add(
        _ name: String, row: Int64, wanted: SQLiteValue, position: Int, object: Int, _ place: () throws -> Place
    ) throws {
        let number = positions[name] ?? places.count
        if number == places.count {
            places.append(try place())
            positions[name] = number
        }
        insertion.reset()
        insertion.bind([
            .integer(Int64(number)), .integer(row), wanted, .integer(Int64(position)), .integer(Int64(object)),
        ])
        while try insertion.step() {}
    }

    /// Calls a closure with each reference, in the order of the text.
    ///
    /// - Parameter failure: Makes the error for an object that there is not, or that there are several of.
    func resolve(_ failure: (Int, String) -> ExchangeError, _ body: (Found) throws -> Void) throws {
        let statement = try connection.prepare(
            "SELECT \"place\", \"row\", \"wanted\", \"position\", \"object\" FROM temp.\"ashlar$deferred\" ORDER BY \"rowid\""
        )
        while try statement.step() {
            let place = places[Int(statement.integer(0))]
            let object = Int(statement.integer(4))
            let reference =
                switch place {
                case .column(let reference, _): reference
                case .inverse(let inverse): inverse.reference
                case .pair(let pairs): pairs.reference
                }
            guard let target = try reference.number(having: statement.values[2], { failure(object, $0) }) else {
                throw failure(object, reference.missing)
            }
            try body(
                Found(
                    place: place, row: statement.integer(1), target: target, position: Int(statement.integer(3)),
                    object: object))
        }
    }
}
