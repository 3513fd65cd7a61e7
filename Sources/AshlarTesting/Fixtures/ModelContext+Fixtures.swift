public import Ashlar
import FileErrors
import Foundation

/// The objects that a fixture inserted.
public struct InsertedFixture {
    /// The objects, in the order of the text.
    public let objects: [any PersistentModel]
    let names: [String: [ManagedObject]]

    /// The object of a class with a name, which the text gives it as its `$id`; nil where there is none.
    public func object<Model: PersistentModel>(_ model: Model.Type, _ name: String) -> Model? {
        names[name]?.lazy.compactMap { $0 as? Model }.first
    }
}

extension ModelContext {
    /// Inserts the objects of a fixture, to be saved by the next `save()`.
    ///
    ///     let fixture = try context.insertFixture(
    ///         """
    ///         {
    ///             "Author": [{ "$id": "anna", "name": "Anna" }],
    ///             "Post": [{ "title": "Lake", "timestamp": "2026-05-01T12:00:00Z", "author": "anna" }]
    ///         }
    ///         """)
    ///     let anna = fixture.object(Author.self, "anna")
    ///
    /// The text is JSON: objects by the names of their entities, a list of objects that have an `$entity`, or what
    /// `ashlar dump` wrote. What an object leaves out has the model's default. Values are as `ashlar load` takes them: dates
    /// in ISO 8601, bytes in Base64, composites as objects. A relationship has the `$id` of an object, or its unique attribute
    /// where its entity has one constraint of one attribute; one to many has a list of them. Numbers of `$id` are names in the
    /// text alone: objects get numbers of their own.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - entityName: The entity of objects that do not say theirs.
    /// - Throws: ``FixtureError``, which says which object and property is wrong. Objects before it are in the context then;
    ///   `rollback()` takes them out. What is checked when they are saved, `save()` throws.
    @discardableResult
    public func insertFixture(_ text: String, entityName: String? = nil) throws -> InsertedFixture {
        var insertion = try FixtureInsertion(self)
        return try insertion.insert(FixtureText(Data(text.utf8), entityName: entityName))
    }

    /// Inserts the objects of a file, as ``insertFixture(_:entityName:)`` does.
    ///
    /// - Parameters:
    ///   - path: The file's path, relative to the package that the test is in.
    ///   - entityName: The entity of objects that do not say theirs.
    ///   - sourceFile: The file of the test.
    /// - Throws: ``FixtureError``.
    @discardableResult
    public func insertFixture(
        at path: String, entityName: String? = nil, sourceFile: String = #filePath
    ) throws -> InsertedFixture {
        let path = PackageFolder(of: sourceFile).resolve(path)
        let text: Data
        do {
            text = try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw FixtureError("\(path) cannot be read: \(FileErrorReason.text(error)).")
        }
        var insertion = try FixtureInsertion(self)
        return try insertion.insert(FixtureText(text, entityName: entityName))
    }
}
