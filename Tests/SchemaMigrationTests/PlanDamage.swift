import ChainCollapse
import RandomNumbers
import RelationalSchema

@testable import SchemaMigration

/// A fault that a planner could make, put into a plan at random.
enum PlanDamage: CaseIterable {
    case removedStatement, repeatedStatement, exchangedStatements, otherTable, otherName, noCondition, otherLiteral
    case forgottenTable

    /// The plan with the fault; nil if the fault does not apply to it.
    func damaged(_ plan: MigrationPlan, _ generator: inout SeededGenerator) -> MigrationPlan? {
        var result = plan
        guard let index = plan.statements.indices.randomElement(using: &generator) else { return nil }
        switch self {
        case .removedStatement: result.statements.remove(at: index)
        case .repeatedStatement: result.statements.insert(plan.statements[index], at: index)
        case .exchangedStatements: result.statements.swapAt(index, generator.number(0..<plan.statements.count))
        case .otherTable, .otherName:
            let tables = Set((plan.source.tables + plan.destination.tables).map(\.name))
            let names = SQLToken.all(in: plan.statements[index].sql).filter { $0.kind == .name }.map(\.content)
                .filter { self == .otherName || tables.contains($0) }
            let others = self == .otherName ? names : tables.sorted()
            guard let name = names.randomElement(using: &generator), let other = others.randomElement(using: &generator)
            else { return nil }
            result.statements[index].sql.replace(SQLText.identifier(name), with: SQLText.identifier(other))
        case .noCondition:
            let sql = plan.statements[index].sql
            guard let start = sql.firstRange(of: "\nWHERE")?.lowerBound else { return nil }
            result.statements[index].sql = String(sql[..<start])
        case .otherLiteral:
            result.statements[index].sql.replace(" NULL", with: " 1")
        case .forgottenTable:
            guard let name = plan.destination.tables.randomElement(using: &generator)?.name else { return nil }
            result.statements.removeAll { $0.sql.contains(SQLText.identifier(name)) }
        }
        return result.statements == plan.statements ? nil : result
    }
}
