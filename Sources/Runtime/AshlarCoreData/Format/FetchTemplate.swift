@_spi(Generated) import Ashlar
import AshlarSQLite
import PredicateFormat

/// A fetch of a model, before it has its values.
///
/// It shows the statement that a program will run, without the program: the condition goes through the same lowering
/// and the same printer as that of a format string.
package struct FetchTemplate {
    /// The description of the whole model, which may be one without classes.
    package var model: ModelDescription
    /// The entity whose objects are fetched.
    package var entity: EntityDescription
    /// The condition; nil if all objects are fetched.
    package var condition: ResolvedPredicate?
    package var limit: Int?
    package var includesSubentities: Bool

    /// Makes a template of an entity of a model.
    package init(
        model: ModelDescription, entity: EntityDescription, condition: ResolvedPredicate?, limit: Int?,
        includesSubentities: Bool
    ) {
        self.model = model
        self.entity = entity
        self.condition = condition
        self.limit = limit
        self.includesSubentities = includesSubentities
    }

    /// The statement for the identifiers of the objects, in their order, with the values that the condition itself has.
    ///
    /// - Throws: A `PredicateFormatError` or a ``FetchError`` if no statement can be made.
    package func identifiers() throws -> BoundStatement {
        let identifier = "\(entity.tableName.quotedIdentifier).\"id$\""
        let statement = try rows(selecting: identifier)
        return BoundStatement(text: statement.text + " ORDER BY \(identifier)", values: statement.values)
    }

    /// The statement for the rows of the objects, in no order, with the values that the condition itself has.
    ///
    /// - Parameter columns: The selected columns as SQL, with the table under its own name.
    /// - Throws: A `PredicateFormatError` or a ``FetchError`` if no statement can be made.
    package func rows(selecting columns: String) throws -> BoundStatement {
        try entity.statement(
            selecting: columns, where: lowered(assumingValues: false), limit: limit,
            includesSubentities: includesSubentities)
    }

    private func lowered(assumingValues: Bool) throws -> SQLExpression? {
        let schema = DescriptionSchema(root: entity, model: model)
        let target = FormatTarget(schema: schema, arguments: [], variables: [:], assumesValues: assumingValues)
        return try condition.map { try PredicateLowering(target).condition($0) }
    }

    /// The text of the statement. Each value is taken for one that is not nil, and a list for two.
    ///
    /// - Throws: A `PredicateFormatError` or a ``FetchError`` if no statement can be made.
    package func sql() throws -> String {
        try entity.statement(
            where: lowered(assumingValues: true), limit: limit, includesSubentities: includesSubentities
        ).text
    }
}

extension SQLExpression {
    /// Some value of a type, for a statement that is not run.
    static func assumed(_ type: ResolvedType) -> SQLExpression {
        switch type {
        case .value(.decimal): .assumedDecimal
        case .value(.string): .value(.text("a"))
        default: .value(.integer(1))
        }
    }

    /// Some decimal number, as generated code gives those of variables.
    static let assumedDecimal = SQLExpression.function(.toDecimal, [.value(.text("1"))])
}
