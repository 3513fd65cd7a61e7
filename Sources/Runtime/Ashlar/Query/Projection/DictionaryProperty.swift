import AshlarSQLite

/// A value in the dictionaries of ``ModelContext/fetchDictionaries(_:properties:groupBy:having:distinct:)``.
///
/// A string literal is a property by its name.
///
///     let rows = try context.fetchDictionaries(
///         Post.all, properties: ["author.name", .aggregate(.sum, "likes", as: "total")], groupBy: ["author.name"])
///
/// The counterparts are the elements of Core Data's `propertiesToFetch`, and `NSExpressionDescription`.
public struct DictionaryProperty<Model: PersistentModel>: Sendable, ExpressibleByStringLiteral {
    enum Value: Sendable {
        case property
        case aggregate(AggregateFunction, String)
        case computed(DictionaryValue)
    }

    /// The key in the dictionaries.
    public let name: String
    let value: Value

    /// Returns an attribute or to-one relationship by its name, also through to-one relationships: `author.name`.
    ///
    /// A composite is represented by its parts, such as `home.street`.
    ///
    /// - Parameter name: The name or path in the model, which is also the key.
    public static func property(_ name: String) -> Self { Self(name: name, value: .property) }

    /// Creates an attribute from its name, such as `"author.name"`.
    public init(stringLiteral name: String) { self.init(name: name, value: .property) }

    /// Returns an aggregate of a property of each group.
    ///
    ///     let total = DictionaryProperty<Post>.aggregate(.sum, "likes", as: "total")
    ///
    /// - Parameters:
    ///   - aggregate: The aggregate function.
    ///   - property: The name or path of the property.
    ///   - name: The key in the dictionaries.
    public static func aggregate(_ aggregate: AggregateFunction, _ property: String, as name: String) -> Self {
        Self(name: name, value: .aggregate(aggregate, property))
    }

    /// Returns a value that the compiler checks, with a name of its own.
    ///
    ///     let posts = DictionaryProperty<Post>.value("posts") { _ in .count }
    ///
    /// - Parameters:
    ///   - name: The key in the dictionaries.
    ///   - value: The value, of the columns of an object.
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
    /// Fetches values by their names, for properties that are known only at run time.
    ///
    /// ``ModelContext/fetch(_:)->[Output]`` fetches values whose types the compiler checks.
    ///
    ///     let rows = try context.fetchDictionaries(Post.all, properties: ["title", "author"])
    ///     let title = rows[0]["title"] as? String
    ///     let author = rows[0]["author"] as? PersistentIdentifier
    ///
    /// A value has the type of the property in the generated class. A relationship is represented by its object's
    /// identifier, and nil is left out, as in Core Data. A count is an `Int`; a sum is an `Int64`, `Double` or
    /// `Decimal`; a mean is a `Double` or `Decimal`. Unlike in Core Data, the context's unsaved changes are included.
    ///
    /// - Parameters:
    ///   - descriptor: The objects, their order, and the part of the result to return.
    ///   - properties: The values; nil fetches all attributes.
    ///   - groupBy: The names of the properties to group by. Core Data's counterpart is `propertiesToGroupBy`.
    ///   - having: The condition on a group. Core Data's counterpart is `havingPredicate`.
    ///   - distinct: Whether equal dictionaries are returned once. Core Data's counterpart is `returnsDistinctResults`.
    /// - Throws: ``FetchError`` if a name is unknown or occurs twice, or a value is neither grouped by nor an
    ///   aggregate. ``StoreError`` if the store cannot be read.
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
    /// Returns the attribute or to-one relationship at the end of a path of names.
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
    /// Returns the positions of the columns with attributes of an entity. A composite is represented by its leaves.
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
