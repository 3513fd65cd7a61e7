import Ashlar

/// The migration of a test: its versions, and the migrated store.
///
/// ``MigrationTestError`` contains it.
public struct TestedMigration: Sendable, Hashable, CustomStringConvertible {
    /// The name of the store's version.
    public var source: String
    /// The name of the version after the migration; the store's own if the store could not be created.
    public var destination: String
    /// The seed of the random objects; nil for a fixture.
    public var seed: UInt64?
    /// The path of the fixture; nil for a store with random objects.
    public var fixture: String?

    /// The migration as text, such as `PhotoFeed 2 → PhotoFeed 4, ASHLAR_TEST_SEED=1`.
    public var description: String {
        let origin = seed.map { ", ASHLAR_TEST_SEED=\($0)" } ?? fixture.map { ", the store \($0)" } ?? ""
        return (source == destination ? "a store of \(source)" : "\(source) → \(destination)") + origin
    }
}

/// A problem in a migrated store.
///
/// ``MigrationTestError/wrong(_:_:)`` contains all problems that a test found.
public struct MigrationProblem: Sendable, Hashable, CustomStringConvertible {
    /// The name of the entity in the store's present version; nil if the problem does not concern one.
    public var entity: String?
    /// The property: an attribute, the key path of a part of a composite, or a relationship.
    public var property: String?
    /// The `id$` of the object's row.
    public var rowID: Int64?
    /// A description of the problem, as a sentence.
    public var reason: String

    init(entity: String? = nil, property: String? = nil, rowID: Int64? = nil, _ reason: String) {
        self.entity = entity
        self.property = property
        self.rowID = rowID
        self.reason = reason
    }

    /// The problem as text, such as `Post.title of the object 7: "a" became "b".`
    public var description: String {
        let place = [entity, property].compactMap(\.self).joined(separator: ".")
        let object = rowID.map { place.isEmpty ? "the object \($0)" : " of the object \($0)" } ?? ""
        return place.isEmpty && object.isEmpty ? reason : "\(place)\(object): \(reason)"
    }
}

/// An error of a migration test.
public enum MigrationTestError: Error, Sendable {
    /// There is no model at the path, or it has errors.
    case unreadableModel(path: String, findings: [String])
    /// The model at the path is not the one that the program was built with.
    case otherModel(path: String, model: String, reason: String)
    /// The program's model has no such version, or no longer migrates from it.
    case unknownVersion(String, model: String, known: [String])
    /// The program's model does not have the version of a fixture.
    case unknownFixture(path: String, version: String, model: String)
    /// There is no way to choose a value for an attribute. Give some in `values`.
    case noLegalValue(property: String, version: String, reason: String)
    /// There are no objects whose relationships satisfy the model.
    case noLegalObjects(version: String, reason: String)
    /// The store could not be created or migrated, usually because of a `StoreError`.
    case failed(TestedMigration, any Error)
    /// A migration was refused because of the store's data, and the store was changed nevertheless.
    case changedByRefusal(TestedMigration, any Error)
    /// The store was migrated, and the result is wrong.
    case wrong(TestedMigration, [MigrationProblem])
}

extension MigrationTestError: CustomStringConvertible {
    /// The number of problems that are listed individually.
    private static let shownProblems = 20

    /// A description of the problem and of a remedy.
    public var description: String {
        switch self {
        case .unreadableModel(let path, let findings):
            return "The model at \(path) cannot be used:\n\(findings.joined(separator: "\n"))"
        case .otherModel(let path, let model, let reason):
            return "The model at \(path) is not the model that the program's \(model) was made from: \(reason). "
                + "Name the model that the program is built with."
        case .unknownVersion(let version, let model, let known):
            return
                "\(model) has no version '\(version)' in the program. Its versions are \(known.joined(separator: ", "))."
        case .unknownFixture(let path, let version, let model):
            return "The store at \(path) has the version '\(version)', which the program's \(model) does not have."
        case .noLegalValue(let property, let version, let reason):
            return "No value of \(property) in '\(version)' can be made up, as \(reason). "
                + "Name some as the store has them, .text(…), .integer(…) or .blob(…): values: [\"\(property)\": […]]"
        case .noLegalObjects(let version, let reason):
            return "No objects of '\(version)' can be made up: \(reason)."
        case .failed(let migration, let error): return "\(migration): \(error)"
        case .changedByRefusal(let migration, let error):
            return "\(migration): the migration was refused, but changed the store: \(error)"
        case .wrong(let migration, let problems):
            var lines = problems.prefix(Self.shownProblems).map { "\n  \($0)" }
            if problems.count > lines.count { lines.append("\n  and \(problems.count - lines.count) more") }
            return "\(migration):\(lines.joined())"
        }
    }
}
