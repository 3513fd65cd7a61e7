import Foundation
import Testing

@testable import Ashlar

/// The actions that a test performs in the lifecycle methods of tools.
struct ToolHooks: Sendable {
    enum Hook: CaseIterable {
        case insert, fetch, deletion, willSave, didSave, snapshot, validation, mergePolicy, progress, sequence
    }

    @TaskLocal static var current: [Hook: @Sendable (Tool) throws -> Void] = [:]

    static func run(_ hook: Hook, _ tool: Tool) { try? current[hook]?(tool) }
}

extension Tool: ManagedObjectLifecycle, ValidatedModel {
    func awakeFromInsert() { ToolHooks.run(.insert, self) }
    func awakeFromFetch() { ToolHooks.run(.fetch, self) }
    func prepareForDeletion() { ToolHooks.run(.deletion, self) }
    func willSave() { ToolHooks.run(.willSave, self) }
    func didSave() { ToolHooks.run(.didSave, self) }
    func awake(fromSnapshotEvents events: SnapshotEvents) { ToolHooks.run(.snapshot, self) }
    func validate(for operation: SaveOperation) throws { ToolHooks.run(.validation, self) }
}

/// Lifecycle methods and merge policies that call the context that called them.
@Suite struct HookTests {
    private let container: ModelContainer
    private let context: ModelContext

    init() throws {
        container = try memoryContainer(StudioModel.self)
        context = ModelContext(container)
    }

    private func tools(_ names: String...) throws -> [Tool] {
        let tools = names.map { Tool(name: $0) }
        for tool in tools { context.insert(tool) }
        try context.save()
        return tools
    }

    private final class Log: @unchecked Sendable {
        var errors: [any Error] = []
        var count = 0

        func attempt(_ body: () throws -> Void) {
            count += 1
            do { try body() } catch { errors.append(error) }
        }

        var areNestedSaves: Bool {
            !errors.isEmpty && errors.allSatisfy { $0 as? ContextError == .nestedSave }
        }
    }

    @Test("row 61: objects delete each other") func objectsDeleteEachOther() throws {
        let all = try tools("a", "b", "c")
        let log = Log()
        nonisolated(unsafe) let (a, b) = (all[0], all[1])
        ToolHooks.$current.withValue([
            .deletion: { tool in
                log.count += 1
                guard let context = tool.modelContext else { return }
                context.delete(tool)
                context.delete(tool === a ? b : a)
            }
        ]) { context.delete(a) }
        #expect(log.count == 2 && a.isDeleted && b.isDeleted && !all[2].isDeleted)
        try context.save()
        #expect(try context.fetch(Tool.all) == [all[2]])
    }

    @Test func anObjectThatItsFetchChangesIsFound() throws {
        let toolbox = Toolbox(name: "box")
        let tool = Tool(name: "a")
        context.insert(tool)
        tool.toolbox = toolbox
        try context.save()
        let reader = ModelContext(container)
        let changed = try #require(try reader.fetch(Toolbox.all).first)
        reader.insert(Tool(name: "new", toolbox: changed))
        try ToolHooks.$current.withValue([.fetch: { $0.length = 1 }]) {
            let found = Tool.where { $0.toolbox.tools.count == 2 }
            let count = try reader.fetchCount(found)
            let tools = try reader.fetch(found)
            #expect(count == 2 && tools.count == 2)
        }
    }

    @Test func whoComesBackByAnUndoIsNotNewAgain() throws {
        let undoManager = ModelUndoManager()
        context.undoManager = undoManager
        let (log, tool) = (Log(), Tool(name: "a"))
        try ToolHooks.$current.withValue([.insert: { _ in log.count += 1 }]) {
            context.insert(tool)
            try context.save()
            context.delete(tool)
            try context.save()
            undoManager.undo()
            undoManager.undo()
            undoManager.redo()
        }
        #expect(log.count == 1 && tool.modelContext === context)
    }

    /// New objects receive `awakeFromInsert`, even if an observer inserts them while it is notified of an undo.
    @Test func whoIsNewDuringAnUndoIsTold() throws {
        let tool = try tools("a")[0]
        let undoManager = ModelUndoManager()
        context.undoManager = undoManager
        tool.name = "b"
        context.processPendingChanges()
        let log = Log()
        let observation = context.observe(.objectsDidChange) { context, _ in
            if log.count == 0 { context.insert(Tool(name: "new")) }
        }
        defer { observation.cancel() }
        ToolHooks.$current.withValue([.insert: { _ in log.count += 1 }]) { undoManager.undo() }
        #expect(log.count == 1 && tool.name == "a")
    }

    @Test("row 61: a save within a save", arguments: [ToolHooks.Hook.willSave, .validation])
    func aSaveWithinASave(_ hook: ToolHooks.Hook) throws {
        let tool = try tools("a")[0]
        let log = Log()
        tool.name = "b"
        try ToolHooks.$current.withValue([
            hook: { tool in log.attempt { try tool.modelContext?.save() } }
        ]) { try context.save() }
        #expect(log.areNestedSaves)
        #expect(!context.hasChanges && tool.name == "b")
        #expect(try ModelContext(container).fetch(Tool.all).map(\.name) == ["b"])
    }

    @Test("row 61: a save after a save") func aSaveAfterASave() throws {
        let tool = try tools("a")[0]
        tool.name = "b"
        try ToolHooks.$current.withValue([
            .didSave: { tool in
                if tool.name == "c" { return }
                tool.name = "c"
                try tool.modelContext?.save()
            }
        ]) { try context.save() }
        #expect(!context.hasChanges)
        #expect(try ModelContext(container).fetch(Tool.all).map(\.name) == ["c"])
    }

    @Test("row 61: a save in a merge policy", arguments: [false, true])
    func aSaveInAMergePolicy(_ isRefused: Bool) throws {
        let tool = try tools("a")[0]
        let other = ModelContext(container)
        let twin: Tool = try other.model(for: tool.persistentModelID)
        twin.name = "theirs"
        try other.save()
        tool.name = "mine"
        let log = Log()
        context.mergePolicy = .custom { _, object, _, _ in
            if isRefused { object.modelContext?.rollback() }
            if isRefused { object.modelContext?.reset() }
            log.attempt { try object.modelContext?.save() }
            return .mergeByPropertyObjectTrump
        }
        if isRefused {
            #expect(throws: ContextError.nestedSave) { try context.save() }
            #expect(context.hasChanges && tool.name == "mine")
            return
        }
        try context.save()
        #expect(log.areNestedSaves && tool.modelContext === context)
        #expect(try ModelContext(container).fetch(Tool.all).map(\.name) == ["mine"])
    }

    @Test func aSaveWithinABatchOperation() throws {
        _ = try tools("a")
        let other = ModelContext(container)
        let log = Log()
        let values = (0..<3).lazy.map { number -> Tool.Values in
            log.attempt {
                other.insert(Tool(name: "other"))
                try other.save()
            }
            return Tool.Values(name: "\(number)")
        }
        #expect(try context.batchInsert(contentsOf: values) == 3)
        func isNestedWriting(_ error: any Error) -> Bool {
            if case StoreError.nestedWriting = error { true } else { false }
        }
        #expect(log.errors.count == 3 && log.errors.allSatisfy(isNestedWriting))
        let progress = Log()
        nonisolated(unsafe) let unsafeOther = other
        var request = BatchDeleteRequest(Tool.all)
        request.options = BatchOptions(progress: { _ in progress.attempt { try unsafeOther.save() } })
        try context.execute(request)
        #expect(!progress.errors.isEmpty && progress.errors.allSatisfy(isNestedWriting))
        try other.save()
        #expect(try context.fetchCount(Tool.all) == 3)
    }

    private static let calls: [(String, @Sendable (ModelContext, Tool) throws -> Void)] = [
        ("save", { context, _ in try context.save() }),
        ("rollback", { context, _ in context.rollback() }),
        ("reset", { context, _ in context.reset() }),
        ("fetch", { context, _ in _ = try context.fetch(Tool.all) }),
        ("insert", { context, tool in if tool.name != "new" { context.insert(Tool(name: "new")) } }),
        ("delete", { context, tool in context.delete(tool) }),
        ("deleteAll", { context, _ in for tool in try context.fetch(Tool.all) { context.delete(tool) } }),
        ("refresh", { context, tool in try context.refresh(tool, mergeChanges: false) }),
        ("batch", { context, _ in _ = try context.batchDelete(Tool.where { $0.name == "b" }) }),
        ("update", { context, _ in _ = try context.batchUpdate(Tool.all) { $0.length = 1 } }),
        ("process", { context, _ in context.processPendingChanges() }),
        ("relate", { context, tool in if tool.toolbox == nil { tool.toolbox = Toolbox(name: "box") } }),
    ]

    /// A hook may call anything: the program continues, and the context agrees with the store afterwards.
    @Test("row 61: every hook with everything that it may call", arguments: ToolHooks.Hook.allCases)
    func pairs(_ hook: ToolHooks.Hook) throws {
        for (name, call) in Self.calls {
            let container = try memoryContainer(StudioModel.self)
            let context = ModelContext(container)
            let other = ModelContext(container)
            for name in ["a", "b", "c"] { context.insert(Tool(name: name)) }
            try context.save()
            for tool in try other.fetch(Tool.all) { tool.length = 2 }
            try other.save()
            // A hook that triggers itself would never end.
            let depth = Log()
            let run: @Sendable (ModelContext, Tool) throws -> Void = { context, tool in
                if depth.count > 3 { return }
                depth.count += 1
                defer { depth.count -= 1 }
                try call(context, tool)
            }
            context.mergePolicy = .custom { _, object, _, _ in
                if hook == .mergePolicy, let tool = object as? Tool, let context = tool.modelContext {
                    try? run(context, tool)
                }
                return .mergeByPropertyObjectTrump
            }
            nonisolated(unsafe) let unsafeContext = context
            let hooks: [ToolHooks.Hook: @Sendable (Tool) throws -> Void] = [
                hook: { tool in if let context = tool.modelContext { try run(context, tool) } }
            ]
            ToolHooks.$current.withValue(hooks) {
                let all = (try? context.fetch(Tool.order { $0.name.ascending })) ?? []
                if all.count == 3 {
                    all[0].name = "changed"
                    context.delete(all[1])
                }
                context.insert(Tool(name: "d"))
                try? context.save()
                if let first = all.first, first.modelContext != nil {
                    let options = BatchOptions(progress: { _ in
                        if hook == .progress { try? run(unsafeContext, Tool(name: "p")) }
                    })
                    let values = (0..<2).lazy.map { number -> Tool.Values in
                        if hook == .sequence { try? run(unsafeContext, Tool(name: "s")) }
                        return Tool.Values(name: "v\(number)")
                    }
                    _ = try? context.batchInsert(contentsOf: values, options: options)
                }
                context.rollback()
            }
            // A deferred error of a getter is thrown once.
            for _ in 0..<5 where (try? context.save()) == nil { context.rollback() }
            try context.save()
            #expect(!context.hasChanges, "\(hook) \(name)")
            context.reset()
            let mine = try context.fetch(Tool.all).map(\.name).sorted()
            let stored = try ModelContext(container).fetch(Tool.all).map(\.name).sorted()
            #expect(mine == stored, "\(hook) \(name)")
            try container.expectSound("\(hook) \(name)")
        }
    }

    @Test("row 80: objects without their context") func objectsWithoutTheirContext() throws {
        let article = Article(title: "t", writer: Writer(name: "w"), chapters: [Chapter(name: "1")])
        context.insert(article)
        try context.save()
        func orphan() throws -> Article { try #require(try ModelContext(container).fetch(Article.all).first) }
        let orphan = try orphan()
        #expect(orphan.modelContext == nil && orphan.title == "t" && !orphan.isDeleted)
        // A relationship that is nil needs no context.
        let lonely = Chapter(name: "2")
        context.insert(lonely)
        try context.save()
        context.reset()
        #expect(lonely.article == nil)
    }
}
