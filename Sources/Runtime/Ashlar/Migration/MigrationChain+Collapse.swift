import AshlarSQLite
import ChainCollapse
import StoreDescription

extension MigrationChain {
    /// Consecutive steps of a chain.
    struct Part {
        /// The positions of the steps in the chain.
        var range: Range<Int>
        /// Whether a table may be rewritten once for all the steps. A custom statement may need the rows as they are at
        /// its step.
        var isPlanned: Bool
    }

    /// Returns the chain in parts, so that custom statements find the rows in the state that their author expects.
    ///
    /// - Parameter borders: The positions of the versions whose steps custom code of the program precedes or follows.
    func parts(borders: Set<Int> = []) -> [Part] {
        var parts: [Part] = []
        for (index, step) in steps.enumerated() {
            let isPlanned = step.statement.purpose != .custom
            if let last = parts.last, last.isPlanned, isPlanned {
                let previous = steps[index - 1]
                let isSame = previous.version == step.version && previous.isFinalCheck == step.isFinalCheck
                let isBorder = !isSame && (borders.contains(previous.version) || borders.contains(step.version))
                if !isBorder {
                    parts[parts.count - 1].range = last.range.lowerBound..<index + 1
                    continue
                }
            }
            parts.append(Part(range: index..<index + 1, isPlanned: isPlanned))
        }
        return parts
    }

    /// The steps of a part, collapsed for a store's objects so that each table is rewritten once where that is cheaper.
    struct CollapsedPart {
        var range: Range<Int>
        fileprivate var objects: [ChainCollapse.SchemaObject]
        var steps: [Step]

        var isShorter: Bool { steps.count < range.count }
    }

    /// Collapses a part of the chain for the current objects of a store.
    ///
    /// - Parameter known: An earlier result, which is returned again if the part and the objects are the same.
    func collapse(
        _ part: Part, on connection: Connection, known: CollapsedPart? = nil
    ) throws(SQLiteError) -> CollapsedPart {
        let original = Array(steps[part.range])
        guard part.isPlanned else { return CollapsedPart(range: part.range, objects: [], steps: original) }
        let objects = try connection.schema().objects.compactMap { object in
            object.sql.map {
                ChainCollapse.SchemaObject(
                    type: object.kind.rawValue, name: object.name, tableName: object.tableName, sql: $0)
            }
        }
        if let known, known.range == part.range, known.objects == objects { return known }
        let steps = ChainCollapse.statements(of: original.map(\.statement.operation), on: objects).map { statement in
            let origin = original[statement.origin]
            return Step(
                version: origin.version,
                statement: ModelDescription.MigrationStatement(
                    statement.operation, purpose: statement.isOrigin ? origin.statement.purpose : .change),
                isFinalCheck: origin.isFinalCheck)
        }
        return CollapsedPart(range: part.range, objects: objects, steps: steps)
    }
}
