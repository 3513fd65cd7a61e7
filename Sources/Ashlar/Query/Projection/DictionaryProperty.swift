import AshlarSQLite

/// A value in the dictionaries of ``ModelContext/fetchDictionaries(_:properties:groupBy:having:distinct:)``: a property by
/// its name, or an expression with a name of its own. Core Data's `propertiesToFetch` and `NSExpressionDescription`.
public struct DictionaryProperty<Model: PersistentModel>: Sendable, ExpressibleByStringLiteral {
    enum Value: Sendable {
        case property
        case aggregate(AggregateFunction, String)
        case computed(DictionaryValue)
    }

    /// The key in the dictionaries.
    public let name: String
    let value: Value

    /// An attribute or to-one relationship by its name, also behind to-one relationships: `author.name`. Of a relationship
    /// the value is the rowid, of a composite each leaf is an attribute: `home.street`.
    public static func property(_ name: String) -> Self { Self(name: name, value: .property) }

    /// An attribute by its name: `"author.name"`.
    public init(stringLiteral name: String) { self.init(name: name, value: .property) }

    /// An aggregate of a property of each group: `.aggregate(.sum, "likes", as: "total")`.
    public static func aggregate(_ aggregate: AggregateFunction, _ property: String, as name: String) -> Self {
        Self(name: name, value: .aggregate(aggregate, property))
    }

    /// A value as the compiler knows it: `.value("posts") { _ in .count }`.
    public static func value<Value>(_ name: String, _ value: (Columns<Model>) -> Column<Value>) -> Self {
        let column = value(Model._ashlarColumns)
        return Self(name: name, value: .computed(DictionaryValue(column.expression, column.coding)))
    }

    private init(name: String, value: Value) {
        self.name = name
        self.value = value
    }

    fileprivate func resolved(_ context: ModelContext) throws(FetchError) -> DictionaryValue {
        switch value {
        case .property: try context.container.model.value(at: name, of: Model._ashlarEntity)
        case .aggregate(let aggregate, let property):
            try context.container.model.value(at: property, of: Model._ashlarEntity).made(by: aggregate)
        case .computed(let value): value
        }
    }
}

extension ModelContext {
    /// Values by their names, for what is only known at run time; ``ModelContext/fetch(_:)->[Output]`` gives typed ones.
    ///
    ///     let rows = try context.fetchDictionaries(Post.all, properties: ["title", "author"])
    ///     let title = rows[0]["title"] as? String
    ///     let author = rows[0]["author"] as? PersistentIdentifier
    ///
    /// A value has the type that the property has in the generated class, a relationship is its object's identifier, and
    /// what is nil is left out, as Core Data does. A count is an `Int`; a sum is an `Int64`, a `Double` or a `Decimal`, a
    /// mean one of the last two. The context's unsaved changes count, which they do not in Core Data.
    ///
    /// - Parameters:
    ///   - descriptor: Which objects, in which order, and which part of the result.
    ///   - properties: The values; all attributes when nil.
    ///   - groupBy: The names of the properties that the rows of one group have in common. Core Data's
    ///     `propertiesToGroupBy`.
    ///   - having: What must hold of a group. Core Data's `havingPredicate`.
    ///   - distinct: Whether equal dictionaries come once. Core Data's `returnsDistinctResults`.
    /// - Throws: ``FetchError`` for a name that the entity does not have or that comes twice, and for a value that is
    ///   neither grouped by nor an aggregate; ``StoreError`` when the store cannot be read.
    public func fetchDictionaries<Model: PersistentModel>(
        _ descriptor: FetchDescriptor<Model>, properties: [DictionaryProperty<Model>]? = nil, groupBy: [String] = [],
        having: Condition? = nil, distinct: Bool = false
    ) throws -> [[String: Any]] {
        let properties = properties ?? allAttributes(of: Model.self)
        var names: Set<String> = []
        for property in properties where !names.insert(property.name).inserted {
            throw FetchError.duplicateName(entity: Model._ashlarEntity.name, name: property.name)
        }
        if properties.isEmpty { return try fetchIdentifiers(descriptor).map { _ in [:] } }
        var shape = ProjectionShape(descriptor)
        if !groupBy.isEmpty {
            shape.groups = try groupBy.map { try container.model.value(at: $0, of: Model._ashlarEntity).expression }
        }
        shape.having = having
        shape.isDistinct = distinct
        let values = try properties.map { try $0.resolved(self) }
        let reader = DictionaryReader(properties.map(\.name), values)
        let projection = Projection<Model, [String: Any]>(shape, values.map(\.expression)) { row throws(RowError) in
            try reader.dictionary(row)
        }
        return try fetch(projection)
    }

    private func allAttributes<Model: PersistentModel>(of type: Model.Type) -> [DictionaryProperty<Model>] {
        let entity = Model._ashlarEntity
        return container.model.attributes(of: entity).map { .property(entity.columns[$0].property) }
    }
}

extension ModelDescription {
    /// The attribute or to-one relationship that a path of names leads to.
    func value(at name: String, of start: EntityDescription) throws(FetchError) -> DictionaryValue {
        var entity = start
        var path = ColumnPath(table: entity.tableName)
        var rest = name[...]
        while true {
            let columns = attributes(of: entity)
            if let column = columns.first(where: { entity.columns[$0].property == rest }) {
                return DictionaryValue(column, of: entity, at: path)
            }
            let step = rest.prefix { $0 != "." }
            guard let number = entity.relationships.firstNumber(where: { $0.name == step && !$0.isToMany }),
                let destination = self.entity(named: entity.relationships[number].destination)
            else { break }
            path = path.following(number, of: entity, to: destination)
            if step.endIndex == rest.endIndex { return DictionaryValue(identifierOf: destination, at: path) }
            rest = rest[step.endIndex...].dropFirst()
            entity = destination
        }
        throw .unknownProperty(entity: start.name, property: name)
    }
}

extension ModelDescription {
    /// The positions of the columns that hold attributes of an entity; those of a composite are its leaves.
    fileprivate func attributes(of entity: EntityDescription) -> [Int] {
        var owners: Set<String> = []
        var ancestor: EntityDescription? = entity
        while let current = ancestor {
            owners.insert(current.name)
            ancestor = current.parentName.flatMap { self.entity(named: $0) }
        }
        return entity.columns.indices.filter { index in
            let column = entity.columns[index]
            return column.type != nil && owners.contains(column.entity) && !column.name.hasSuffix("$$present")
        }
    }
}
