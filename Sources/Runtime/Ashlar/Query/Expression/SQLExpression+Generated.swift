import AshlarSQLite

/// The functions that the generated code of fetch request templates and fetched properties calls.
@_spi(Generated) extension SQLExpression {
    /// Returns the identity of an object that the code provides.
    @_spi(Generated) public static func _ashlarIdentifier(of object: ManagedObject?) -> SQLExpression {
        .identifier(of: object)
    }

    /// Returns the current value of an expression for an object that the code provides.
    @_spi(Generated) public static func _ashlarValue(_ expression: SQLExpression, of object: ManagedObject?)
        -> SQLExpression
    {
        let value = SQLExpression.value(object.map { expression.value(for: $0) } ?? .null)
        return expression.isDecimal ? .function(.toDecimal, [value]) : value
    }

    /// Returns the value of an argument.
    @_spi(Generated) public static func _ashlarValue(_ value: some PredicateArgument) -> SQLExpression {
        let given = value.predicateValue
        if let identifier = given.identifier { return .identifier(identifier, root: identifier.number.root) }
        let expression = SQLExpression.value(given.single ?? .null)
        return given.kind == .attribute(.decimal) ? .function(.toDecimal, [expression]) : expression
    }

    /// Returns the text without the differences that the options ignore.
    @_spi(Generated) public static func _ashlarFolded(_ expression: SQLExpression, _ options: TextOptions)
        -> SQLExpression
    {
        if case .value(.text(let text)) = expression { return .value(.text(TextFolding.folded(text, options))) }
        return .function(.fold, [expression, .value(.integer(Int64(options.rawValue)))])
    }

    /// Returns the text in the form of an attribute derived by `canonical:(…)`.
    @_spi(Generated) public static func _ashlarCanonical(_ expression: SQLExpression) -> SQLExpression {
        if case .value(.text(let text)) = expression { return .value(.text(DerivedText.canonical(text))) }
        return .function(.canonical, [expression])
    }

    /// Returns the condition that a value is one of several.
    @_spi(Generated) public static func _ashlarIsIn(_ expression: SQLExpression, _ elements: [SQLExpression])
        -> SQLExpression
    {
        if let identifiers = SQLExpression.identifiers(elements) { return .contains(identifiers, expression) }
        var values: [SQLiteValue] = []
        for element in elements {
            switch element {
            case .value(let value): values.append(value)
            case .function(.toDecimal, let arguments):
                guard case .value(let value) = arguments.first else { fallthrough }
                values.append(DecimalNumber.value(value))
            default: return .or(elements.map { .comparison(expression, .equal, $0) })
            }
        }
        return .isIn(expression, values)
    }
}

extension ManagedObject {
    /// Returns the objects of a fetched property, for generated code.
    @_spi(Generated) public final func _ashlarFetched<Model: PersistentModel>(_ request: FetchDescriptor<Model>) throws
        -> [Model]
    {
        try record.context?.fetch(request) ?? []
    }
}

extension Columns {
    /// Returns an attribute that conditions can only compare with nil, for generated code.
    @_spi(Generated) public func _ashlarStored(_ column: Int, _ name: String) -> SQLExpression {
        .column(ColumnReference(path: _ashlarPath, column: column, name: name))
    }
}
