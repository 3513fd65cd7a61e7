import Ashlar
import Foundation
import RandomNumbers
import RandomSeeds
import Testing

@_spi(Studio) @testable import StoreBrowsing

/// Changes in the browser and the same changes by a program with the model's own classes have the same result.
@Suite struct EditingAgreementTests {
    /// A change that is made on both sides.
    private enum Deed: CustomStringConvertible {
        case delete(String, Int64)
        case set(String, Int64, String, String?)
        case relate(String, Int64, String, Int64?)
        case add(String, Int64, String, Int64)
        case remove(String, Int64, String, Int64)
        case insert(String, [String: String])
        case undo, redo

        var description: String {
            switch self {
            case .delete(let entity, let number): "delete \(entity) \(number)"
            case .set(let entity, let number, let name, let value): "\(entity) \(number).\(name) = \(value ?? "nil")"
            case .relate(let entity, let number, let name, let other):
                "\(entity) \(number).\(name) = \(other.map { "\($0)" } ?? "nil")"
            case .add(let entity, let number, let name, let other): "\(entity) \(number).\(name) + \(other)"
            case .remove(let entity, let number, let name, let other): "\(entity) \(number).\(name) - \(other)"
            case .insert(let entity, let values): "insert \(entity) \(values)"
            case .undo: "undo"
            case .redo: "redo"
            }
        }
    }

    @Test("a random graph, changed by hand and by a program", arguments: seeds(12))
    func agreement(_ seed: Seed) throws {
        var random = SeededGenerator(seed: seed)
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("ashlar-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let urls = ["Program.store", "Hand.store"].map { folder.appendingPathComponent($0) }
        let graph = random.next()
        for url in urls {
            var random = SeededGenerator(seed: graph)
            try Guilds.fill(url, &random)
        }
        let browser = try StoreBrowser(urls[1], model: Guilds.modelPath)
        let editor = StoreEditor(browser)
        let context = ModelContext(try ModelContainer(for: GuildModel.self, at: urls[0]))
        context.undoManager = ModelUndoManager()
        var deeds: [String] = []
        var counts = (done: 0, refused: 0)
        for _ in 0..<40 {
            guard let deed = try Self.deed(browser, editor, &random) else { continue }
            deeds.append("\(deed)")
            let byProgram = Self.failure { try Self.perform(deed, context, "\(deeds.count)") }
            let byHand = Self.failure { try Self.perform(deed, browser, editor) }
            let isSame = (byProgram == nil) == (byHand == nil)
            #expect(
                isSame, "\(byProgram ?? "done") against \(byHand ?? "done"): \(deeds.joined(separator: "; "))")
            if byHand == nil { counts.done += 1 } else { counts.refused += 1 }
            let found = try browser.differences(from: urls[0]).tables.filter { !$0.name.hasPrefix("ashlar$") }
            #expect(found.isEmpty, "\(deeds.joined(separator: "; ")): \(found)")
            if !found.isEmpty || !isSame { return }
        }
        #expect(counts.done > 10)
    }

    /// The reason of a refusal; nil if a change succeeds.
    private static func failure(_ body: () throws -> Void) -> String? {
        do {
            try body()
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// A random change that is possible in the store's state.
    private static func deed(
        _ browser: StoreBrowser, _ editor: StoreEditor, _ random: inout SeededGenerator
    ) throws -> Deed? {
        if editor.undoTitle != nil, random.oneIn(6) { return .undo }
        if editor.redoTitle != nil, random.oneIn(2) { return .redo }
        if random.oneIn(6) {
            let entity = Self.one(
                of: ["Guild", "Member", "Master", "Skill", "Badge", "Hall", "Tool", "Chapter"], &random)
            let name = Self.one(of: ["Ada", "bob", "Guild 1", "Cleo \(random.number(0..<1000))"], &random)
            if entity == "Chapter" {
                return try number(of: "Guild", browser, &random).map { .insert(entity, ["guild": "\($0)"]) }
            }
            return .insert(entity, ["Badge", "Tool"].contains(entity) ? [:] : ["name": name])
        }
        let entity = Self.one(of: ["Guild", "Member", "Skill", "Badge", "Hall", "Tool", "Chapter"], &random)
        guard let number = try number(of: entity, browser, &random) else { return nil }
        let object = try browser.object(entity, number)
        switch random.number(0..<4) {
        case 0: return .delete(object.entity, number)
        case 1:
            guard let attribute = object.attributes.filter(\.isEditable).randomElement(using: &random) else {
                return nil
            }
            let values: [String?] = ["Ada", "", "7", "-1", "1.5", "true", "2026-03-01T08:00:00Z", nil]
            return .set(object.entity, number, attribute.name, Self.one(of: values, &random))
        default:
            guard let relationship = object.relationships.randomElement(using: &random) else { return nil }
            let other = try self.number(of: relationship.destination, browser, &random)
            if !relationship.isToMany {
                return .relate(object.entity, number, relationship.name, random.oneIn(4) ? nil : other)
            }
            if random.oneIn(3), let member = relationship.objects.randomElement(using: &random) {
                return .remove(object.entity, number, relationship.name, member.number)
            }
            return other.map { .add(object.entity, number, relationship.name, $0) }
        }
    }

    private static func one<Element>(of list: [Element], _ random: inout SeededGenerator) -> Element {
        list[random.number(0..<list.count)]
    }

    private static func number(
        of entity: String, _ browser: StoreBrowser, _ random: inout SeededGenerator
    ) throws -> Int64? {
        try browser.rows(RowRequest(.entity(entity))).rows.compactMap(\.number).randomElement(using: &random)
    }

    // MARK: By hand

    private static func perform(_ deed: Deed, _ browser: StoreBrowser, _ editor: StoreEditor) throws {
        func change(_ entity: String, _ number: Int64, _ change: StoreEditor.Change) throws {
            try editor.change(entity, number, version: browser.object(entity, number).version, [change])
        }
        switch deed {
        case .delete(let entity, let number):
            try editor.delete(entity, number, version: browser.object(entity, number).version)
        case .set(let entity, let number, let name, let value):
            try change(entity, number, StoreEditor.Change(property: name, value: value))
        case .relate(let entity, let number, let name, let other):
            try change(entity, number, StoreEditor.Change(property: name, value: other.map { "\($0)" }))
        case .add(let entity, let number, let name, let other):
            try change(entity, number, StoreEditor.Change(property: name, kind: .add, value: "\(other)"))
        case .remove(let entity, let number, let name, let other):
            try change(entity, number, StoreEditor.Change(property: name, kind: .remove, value: "\(other)"))
        case .insert(let entity, let values):
            _ = try editor.insert(entity, values.map { StoreEditor.Change(property: $0.key, value: $0.value) })
        case .undo: try editor.undo()
        case .redo: try editor.redo()
        }
    }

    // MARK: By a program

    private static func perform(_ deed: Deed, _ context: ModelContext, _ name: String) throws {
        func object(_ entity: String, _ number: Int64) throws -> any PersistentModel {
            let address = "x-ashlar://\(context.container.storeIdentifier)/\(entity)/p\(number)"
            let identifier = try #require(URL(string: address).flatMap { PersistentIdentifier(uriRepresentation: $0) })
            return try context.model(for: identifier)
        }
        let undoManager = try #require(context.undoManager)
        undoManager.setActionName(name)
        do {
            switch deed {
            case .delete(let entity, let number): context.delete(try object(entity, number))
            case .set(let entity, let number, let name, let text):
                try object(entity, number).setValue(Guilds.value(text, name), forKeyPath: name)
            case .relate(let entity, let number, let name, let other):
                let target = try other.map { try object(Guilds.destination(of: name), $0) }
                try object(entity, number).setValue(target, forKeyPath: name)
            case .add(let entity, let number, let name, let other):
                let member = try object(destination(of: name), other)
                try Guilds.change(object(entity, number), name, member, isAdded: true)
            case .remove(let entity, let number, let name, let other):
                let member = try object(destination(of: name), other)
                try Guilds.change(object(entity, number), name, member, isAdded: false)
            case .insert(let entity, let values):
                let guild = try values["guild"].flatMap { Int64($0) }.map { try object("Guild", $0) }
                context.insert(try Guilds.new(entity, values["name"], guild as? Guild))
            case .undo: undoManager.undo()
            case .redo: undoManager.redo()
            }
            try context.save()
        } catch {
            // Undoes a change that failed.
            context.processPendingChanges()
            if undoManager.canUndo, undoManager.undoActionName == name { undoManager.undo() }
            context.processPendingChanges()
            throw error
        }
    }

    private static func destination(of name: String) -> String {
        [
            "members": "Member", "halls": "Hall", "chapters": "Chapter", "pupils": "Member", "skills": "Skill",
            "holders": "Member", "masters": "Master", "tools": "Tool",
        ][name] ?? ""
    }
}
