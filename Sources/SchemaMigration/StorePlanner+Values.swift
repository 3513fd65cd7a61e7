import DataModel
import RelationalSchema

extension StorePlanner {
    /// What must hold for the old rows of an entity, else the migration cannot go on.
    struct Demand {
        var entityName: String
        /// The condition of a row that stands in the way; nil when every row does.
        var violation: String?
        var reason: String
    }

    typealias EntityPair = (old: String, new: String)

    /// The value of an attribute: the old one, or the default where there is none.
    mutating func value(
        of attribute: Attribute, _ stored: StoredColumn, _ pair: EntityPair, _ oldTable: String,
        _ demands: inout [Demand]
    ) -> ColumnValue {
        let key = PropertyName(stored.entityName, attribute.name)
        let defaultLiteral = stored.column.defaultLiteral
        guard let source = match.oldProperty(attribute.name, of: pair.new), let oldAttribute = source.attribute,
            let conversion = AttributeConversion(from: oldAttribute.type, to: attribute.type),
            let name = old.columnNames[source.key]
        else {
            if defaultLiteral == nil && !attribute.isOptional {
                let reason = "'\(key)' is new and required and has no default, so there must be no object"
                demands.append(Demand(entityName: pair.old, reason: reason))
                warn(attribute.location, "Attribute '\(key)' is new and required and has no default")
            }
            return .constant(defaultLiteral ?? "NULL")
        }
        let column = SQLText.identifier(name)
        if let condition = conversion.lossCondition(column) {
            let reason = "'\(key)' becomes \(attribute.type.rawValue), which cannot hold so great a number"
            demands.append(Demand(entityName: pair.old, violation: condition, reason: reason))
        }
        let value =
            conversion == .none
            ? ColumnValue.column(name) : .expression(conversion.expression(column), base: name)
        let wasRequired =
            !oldAttribute.isOptional && (!stored.column.isRequired || isRequired(name, in: oldTable))
        if attribute.isOptional || wasRequired { return value }
        if let defaultLiteral {
            return .expression("coalesce(\(value.sql), \(defaultLiteral))", base: name)
        }
        let reason = "'\(key)' is required now and has no default, so no object may lack it"
        demands.append(Demand(entityName: pair.old, violation: "\(column) IS NULL", reason: reason))
        if oldAttribute.isOptional {
            warn(attribute.location, "Attribute '\(key)' is required now and has no default")
        }
        return value
    }

    /// The value of a to-one relationship.
    mutating func value(
        of relationship: Relationship, _ stored: StoredColumn, _ pair: EntityPair, _ oldTable: String,
        _ demands: inout [Demand]
    ) -> ColumnValue {
        let key = PropertyName(stored.entityName, relationship.name)
        let value = link(key, pair, oldTable).value
        if relationship.isOptional { return value }
        let wasRequired = match.oldProperty(relationship.name, of: pair.new)?.relationship?.isOptional == false
        if case .column(let name) = value, wasRequired, !stored.column.isRequired || isRequired(name, in: oldTable) {
            return value
        }
        if value == .null {
            let reason = "'\(key)' is new and required, so there must be no object"
            demands.append(Demand(entityName: pair.old, reason: reason))
            warn(relationship.location, "Relationship '\(key)' is new and required", wayOut: "Make it optional")
        } else {
            let reason = "'\(key)' is required now, so no object may lack it"
            demands.append(Demand(entityName: pair.old, violation: "\(value.sql) IS NULL", reason: reason))
            if !wasRequired {
                warn(relationship.location, "Relationship '\(key)' is required now", wayOut: "Leave it optional")
            }
        }
        return value
    }

    /// The checks that demands amount to, one for all entities that share one.
    mutating func plan(_ demands: [Demand], of oldTable: String) {
        var groups: [(demand: Demand, entityNames: [String])] = []
        for demand in demands {
            if let index = groups.firstIndex(where: {
                $0.demand.violation == demand.violation && $0.demand.reason == demand.reason
            }) {
                groups[index].entityNames.append(demand.entityName)
            } else {
                groups.append((demand, [demand.entityName]))
            }
        }
        for (demand, entityNames) in groups {
            let conditions = [condition(entityNames, of: oldTable), demand.violation].compactMap { $0 }
            let filter = conditions.isEmpty ? "" : "\nWHERE \(conditions.joined(separator: " AND "))"
            checks.append(
                MigrationStatement(
                    """
                    SELECT \(SQLText.identifier(ColumnName.identifier))
                    FROM \(current(oldTable))\(filter)
                    LIMIT 1
                    """, purpose: .check(reason: demand.reason, entityName: demand.entityName)))
        }
    }

    private func isRequired(_ columnName: String, in oldTable: String) -> Bool {
        old.tables[oldTable]?.column(named: columnName)?.isRequired ?? false
    }

    private mutating func warn(
        _ location: SourceLocation, _ message: String, wayOut: String = "Give it a default, or make it optional"
    ) {
        var diagnostic = Diagnostic(
            .migrationNotInferrable, at: location, "\(message): the migration fails where there are such objects",
            notes: [wayOut])
        diagnostic.severity = .warning
        diagnostics.report(diagnostic)
    }
}
