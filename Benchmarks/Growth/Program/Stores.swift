import Ashlar
import Foundation

/// A store in a folder of its own.
final class GrownStore {
    let container: ModelContainer
    let context: ModelContext
    /// The folder of all stores, which goes with the process.
    static let folder = FileManager.default.temporaryDirectory.appending(path: "growth-\(UUID().uuidString)")

    init(_ configure: (inout ModelConfiguration) -> Void = { _ in }) throws {
        let folder = Self.folder.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var configuration = ModelConfiguration(url: folder.appending(path: "Growth.store"))
        configure(&configuration)
        container = try ModelContainer(for: GrowthModel.self, configurations: configuration)
        context = ModelContext(container)
    }

    /// Owners with one member each, and that with a note, saved by the context.
    @discardableResult
    func addOwners(_ count: Int, membersEach: Int = 1, notesEach: Int = 0) throws -> [Owner] {
        let owners = (0..<count).map { number in
            let owner = Owner(name: "owner \(number)", number: Int64(number))
            context.insert(owner)
            for place in 0..<membersEach {
                let member = Member(
                    kind: Int64(place % 3), number: Int64(number * membersEach + place), title: "member \(place)",
                    owner: owner)
                context.insert(member)
                for note in 0..<notesEach { context.insert(Note(number: Int64(note), text: "note", member: member)) }
            }
            return owner
        }
        try context.save()
        return owners
    }

    /// Steps that each refer to the next one, saved by the context.
    @discardableResult
    func addSteps(_ count: Int) throws -> [Step] {
        let steps = (0..<count).map { Step(number: Int64($0)) }
        for step in steps { context.insert(step) }
        for (step, next) in zip(steps, steps.dropFirst()) { step.next.append(next) }
        try context.save()
        return steps
    }

    /// Another context of the store, which has no objects.
    var newContext: ModelContext { ModelContext(container) }
}
