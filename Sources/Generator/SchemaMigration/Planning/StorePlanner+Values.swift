import DataModel
import RelationalSchema
import StoreDescription

extension StorePlanner {
    /// A condition on an entity's old rows, without which the migration cannot continue.
    struct Demand {
        var entityName: String
        /// The condition of a row that prevents the migration; nil if every row does.
        var violation: String?
        var reason: String
    }

    typealias EntityPair = (old: String, new: String)

    /// The value of an attribute: the old one, or the default if there is none.
    ///
    /// A leaf of a composite has a value if the composite is present.
    func value(
        of leaf: AttributeLeaf, _ stored: StoredColumn, _ pair: EntityPair, _ oldTable: String,
        _ demands: inout [Demand]
    ) -> ColumnValue {
        let presence = presence(of: leaf, pair)
        if presence == .never { return .null }
        if leaf.isPresence {
            if case .column(let name) = presence { return .column(name) }
            return .constant("1")
        }
        guard let attribute = leaf.path.last else { return .null }
        let key = PropertyName(stored.entityName, leaf.keyPath)
        let defaultLiteral = (try? attribute.migrationDefault()).map { SQLText.literal($0) }
        guard let source = match.oldProperty(leaf.keyPath, of: pair.new), let oldAttribute = source.attribute,
            let conversion = AttributeConversion(from: oldAttribute, to: attribute),
            let name = old.columnNames[source.key]
        else {
            if defaultLiteral == nil && !attribute.isOptional {
                let reason = "'\(key)' is new and required and has no default, so there must be no object"
                demands.append(Demand(entityName: pair.old, violation: presence.condition, reason: reason))
                warn(
                    attribute.location, "Attribute '\(key)' is new and required and has no default",
                    default: attribute.type)
            }
            guard let defaultLiteral, presence != .always else { return .constant(defaultLiteral ?? "NULL") }
            return .expression(presence.guarded(defaultLiteral), base: nil)
        }
        let column = SQLText.identifier(name)
        if let condition = conversion.lossCondition(column) {
            let reason = "'\(key)' becomes \(attribute.type.rawValue), which cannot hold every value that it has"
            demands.append(Demand(entityName: pair.old, violation: condition, reason: reason))
        }
        let value =
            conversion.keepsValue
            ? ColumnValue.column(name) : .expression(conversion.expression(column), base: name)
        let before = source.leaf.map { oldPresence(of: $0, declaredBy: source.key.entityName) } ?? .always
        let wasRequired = !oldAttribute.isOptional && (before == .always || before == presence)
        let isSureToBeThere = wasRequired && (!stored.column.isRequired || isRequired(name, in: oldTable))
        if attribute.isOptional || isSureToBeThere { return value }
        if let defaultLiteral {
            return .expression(presence.guarded("coalesce(\(value.sql), \(defaultLiteral))"), base: name)
        }
        let reason = "'\(key)' is required now and has no default, so no object may lack it"
        let violation = [presence.condition, "\(column) IS NULL"].compactMap(\.self).joined(separator: " AND ")
        demands.append(Demand(entityName: pair.old, violation: violation, reason: reason))
        if !wasRequired {
            warn(
                attribute.location, "Attribute '\(key)' is required now and has no default",
                default: attribute.type)
        }
        return value
    }

    /// The value of a to-one relationship.
    func value(
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
    func plan(_ demands: [Demand], of oldTable: String) {
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
                    .query(
                        reading: [currentName(oldTable)],
                        statement: """
                            SELECT \(SQLText.identifier(ColumnName.identifier))
                            FROM \(current(oldTable))\(filter)
                            LIMIT 1
                            """), purpose: .check(reason: demand.reason, entityName: demand.entityName)))
        }
    }

    private func isRequired(_ columnName: String, in oldTable: String) -> Bool {
        old.tables[oldTable]?.column(named: columnName)?.isRequired ?? false
    }

    func warn(
        _ location: SourceLocation, _ message: String,
        wayOut: String = "Give it a default, make it optional, or give objects of older versions a value: that of "
            + "ashlar.migrationDefault in its userInfo, which a custom stage or script may then replace",
        default type: AttributeType? = nil
    ) {
        let defaultFixes: [Diagnostic.Fix?] = [
            type?.zero.map { .setting("defaultValueString", to: $0, of: location, "Give it a default") },
            type?.migrationZero.map {
                .settingEntry(
                    UserInfo.migrationDefaultKey, to: $0, of: location, "Give objects of older versions a value")
            },
        ]
        var diagnostic = Diagnostic(
            .migrationNotInferrable, at: location, "\(message): the migration fails where there are such objects",
            notes: [wayOut],
            fixes: [.setting("optional", to: "YES", of: location, "Make it optional")] + defaultFixes.compactMap(\.self)
        )
        diagnostic.severity = .warning
        diagnostics.report(diagnostic)
    }
}

extension AttributeType {
    /// The text of the type's neutral value; nil if it has none.
    fileprivate var zero: String? {
        switch self {
        case .integer16, .integer32, .integer64: "0"
        case .double, .float, .decimal: "0.0"
        case .boolean: "NO"
        case .string: ""
        default: nil
        }
    }

    /// The text of that value for objects of older versions.
    fileprivate var migrationZero: String? { self == .binary ? "x''" : zero }
}
