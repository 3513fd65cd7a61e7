import Foundation

@testable import Ashlar

func studioContext() throws -> ModelContext { ModelContext(try memoryContainer(StudioModel.self)) }

/// Records the lifecycle events in `log`. The value of `mood` determines the work of `willSave()`.
extension Diary: ManagedObjectLifecycle {
    func note(_ event: String) { log = (log.map { $0 + " " } ?? "") + event }

    func awakeFromInsert() { note("insert") }
    func awakeFromFetch() { note("fetch(\(pages.count))") }
    func prepareForDeletion() { note("delete(\(pages.count))") }
    func didSave() { note("saved") }
    func awake(fromSnapshotEvents events: SnapshotEvents) { note("snapshot(\(events.rawValue))") }

    func willSave() {
        note("save")
        switch mood {
        case "counting": if !isDeleted, saves < 3 { saves += 1 }
        case "restless": saves += 1
        case "stamping": if !isDeleted, hasPersistentChangedValues { setPrimitiveValue(saves + 1, for: \.saves) }
        case "writing": if let modelContext, pages.isEmpty { modelContext.insert(DiaryPage(number: 1, diary: self)) }
        default: break
        }
    }
}

extension DiaryPage: ManagedObjectLifecycle {
    func willSave() { if seen == 0 { seen = 1 } }
}

extension DiaryPage: ValidatedModel {
    struct Refusal: Error, CustomStringConvertible {
        var description: String { "refused" }
    }

    func validate(for operation: SaveOperation) throws {
        switch number {
        case -1: throw ValidationFailure(self, property: "number", "A page has a number.")
        case -2: throw Refusal()
        case -3 where operation == .delete: throw ValidationFailure(self, "This page stays.")
        case -4: throw SaveError.validation([.init(self, property: "a", "1"), .init(self, property: "b", "2")])
        default: break
        }
    }
}

/// Types with a case for the values that only other programs have.
enum MaterialKind: String, Codable, CaseIterable {
    case wood, metal, other
}

enum Grain: Int16, Codable {
    case fine = 1
    case coarse
    case `default`
}

enum Gloss: Int32, Codable, Hashable {
    case matte, glossy
}
