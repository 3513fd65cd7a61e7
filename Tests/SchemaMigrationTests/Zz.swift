import DataModel
import SchemaMigration
import Testing
import Foundation
@Test func zz() {
    guard let seed = ProcessInfo.processInfo.environment["SEED"].flatMap({ Int($0) }) else { return }
    var generator = SeededGenerator(seed: seed + 1_000_000)
    let old = RandomModel(seed: seed)
    let new = old.changed(&generator)
    for m in [old, new] { for e in m.entities { print(e.name, e.parentName ?? "", e.relationships.map { "\($0.name)>\($0.destinationName)/\($0.inverseName ?? "-") many \($0.isToMany) ord \($0.isOrdered) \($0.deletionRule) was \($0.renamingIdentifier ?? "-")" }) }; print() }
    let plan = makePlan(old.entities, new.entities)
    for s in plan.steps { print(s) }
    for s in plan.statements { print(s.sql) }
    for s in plan.diagnostics.all { print(s) }
}
