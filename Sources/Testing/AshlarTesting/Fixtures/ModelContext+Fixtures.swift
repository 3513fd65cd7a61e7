public import Ashlar
import FileErrors
import Foundation

/// The objects that a fixture inserted.
///
///     let fixture = try context.insertFixture(#"{ "Author": [{ "$id": "anna", "name": "Anna" }] }"#)
///     let anna = fixture.object(Author.self, "anna")
public struct InsertedFixture {
    /// The objects, in the order of the text.
    public let objects: [any PersistentModel]
    let names: [String: [ManagedObject]]

    /// Returns the object with a name, which the text gives as its `$id`; nil if there is none.
    ///
    /// - Parameters:
    ///   - model: The object's class.
    ///   - name: The object's `$id`.
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
    /// The text is JSON: objects by the names of their entities, a list of objects with an `$entity`, or the output of
    /// `ashlar dump`. Missing properties have the model's defaults. Values have the format of `ashlar load`: dates in
    /// ISO 8601, bytes in Base64, composites as objects. A relationship is the `$id` of an object, or its unique
    /// attribute if its entity has one constraint of one attribute. A to-many relationship is a list of them. Numbers
    /// as `$id` are only names within the text.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - entityName: The entity of objects without an `$entity`.
    /// - Throws: ``FixtureError`` with the object and the property. Earlier objects are then in the context;
    ///   `rollback()` removes them. Rules that a save checks fail in `save()`.
    @discardableResult
    public func insertFixture(_ text: String, entityName: String? = nil) throws -> InsertedFixture {
        var insertion = try FixtureInsertion(self)
        return try insertion.insert(FixtureText(Data(text.utf8), entityName: entityName))
    }

    /// Inserts the objects of a fixture in a file, to be saved by the next `save()`.
    ///
    /// See ``insertFixture(_:entityName:)``.
    ///
    ///     let fixture = try context.insertFixture(at: "Tests/Fixtures/Feed.json")
    ///
    /// - Parameters:
    ///   - path: The file's path, relative to the package of the test.
    ///   - entityName: The entity of objects without an `$entity`.
    ///   - sourceFile: The file of the test.
    /// - Throws: ``FixtureError`` with the object and the property, or if the file cannot be read.
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
