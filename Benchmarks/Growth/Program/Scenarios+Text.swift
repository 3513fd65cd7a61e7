import Ashlar
import Foundation

extension Scenario {
    /// Long texts, lists and conditions.
    static func lengths() -> [Scenario] {
        let options: TextOptions = [.caseInsensitive, .diacriticInsensitive]
        return [
            Scenario("fetch by a long prefix without case and marks", .length, .linear, "ModelContext.fetch") { size in
                let store = try GrownStore()
                try store.addOwners(8)
                let prefix = String(repeating: "é", count: 16 * size)
                return {
                    let found = try store.context.fetch(Owner.where { $0.name.hasPrefix(prefix, options: options) })
                    try expect(found.isEmpty)
                }
            },
            Scenario("fetch of a long text without case and marks", .length, .linear, "ModelContext.fetch") { size in
                let store = try GrownStore()
                store.context.insert(Owner(name: String(repeating: "é", count: 16 * size)))
                try store.context.save()
                return {
                    let found = try store.context.fetchCount(Owner.where { $0.name.contains("EEE", options: options) })
                    try expect(found == 1)
                }
            },
        ]
    }
}
