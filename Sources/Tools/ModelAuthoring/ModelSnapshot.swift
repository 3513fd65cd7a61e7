public import DataModel
import IndexAdvice
import ModelDiagram
import ModelFormat
import RelationalSchema

/// A model as it was at one moment, and one of its versions.
@_spi(Studio) public struct ModelSnapshot: Sendable {
    public let bundle: ModelBundle
    /// The shown version.
    public let model: Model
    /// The version before.
    public let previous: Model?
    /// The names of the released versions.
    public let lockedNames: Set<String>
    /// The findings about the version.
    public let findings: [ModelFinding]
    /// The text of the version's file.
    let bytes: [UInt8]
    /// The places of boxes; empty if the diagram arranges itself.
    let places: [String: DiagramLayout.Point]
    /// Messages about lines of the places' file that are not places.
    public let placeProblems: [String]
    /// A text that changes if a file does.
    public let state: String

    /// Whether the shown version is the one that edits change.
    public var isCurrent: Bool { model.name == bundle.currentVersionName }

    public var isLocked: Bool { lockedNames.contains(model.name) }

    /// The entity with a name.
    public func entity(_ name: String) -> Entity? { model.entities.first { $0.name == name } }

    public func composite(_ name: String) -> Composite? { model.composites.first { $0.name == name } }

    /// The findings about an item itself, not about its parts.
    public func findings(of item: ModelItem?) -> [ModelFinding] { findings.filter { $0.item == item } }

    func requireUnlocked(_ path: String) throws(ModelDeskError) {
        if !isLocked { return }
        throw ModelDeskError(
            .refused, "Version '\(model.name)' is locked, because it was released. Begin a new version first.")
    }

    /// The SQL of fetch requests and fetched properties, by the places of their elements; empty if the version has errors.
    public func queries() -> [SourceLocation: String] {
        if findings.contains(where: { $0.severity == .error }) { return [:] }
        let queries = IndexAdvisor.queries(of: Schema(ModelGraph(model)))
        return Dictionary(
            queries.compactMap { query in query.location.map { ($0, query.sql) } }, uniquingKeysWith: { $1 })
    }

    /// The names of entities and composites whose own name or one of a property contains a text.
    public func boxes(containing text: String) -> [String] {
        let wanted = text.lowercased()
        func matches(_ names: [String]) -> Bool { names.contains { $0.lowercased().contains(wanted) } }
        let entities = model.entities.filter { entity in
            matches(
                [entity.name] + entity.attributes.map(\.name) + entity.relationships.map(\.name)
                    + entity.fetchedProperties.map(\.name))
        }
        let composites = model.composites.filter { matches([$0.name] + $0.attributes.map(\.name)) }
        // Those whose own names begin with it come first.
        return (entities.map(\.name) + composites.map(\.name)).sorted { left, right in
            let (first, second) = (left.lowercased().hasPrefix(wanted), right.lowercased().hasPrefix(wanted))
            return first == second ? left < right : first
        }
    }
}

/// A finding with the item and the field that it is about.
@_spi(Studio) public struct ModelFinding: Sendable, Hashable {
    /// The item; nil for the model as a whole.
    public let item: ModelItem?
    /// The name of the field; nil for the item as a whole.
    public let field: String?
    public let severity: Diagnostic.Severity
    public let message: String
    /// Further sentences, without the titles of ``fixes``.
    public let notes: [String]
    /// The fixes that can be made exactly.
    public let fixes: [Diagnostic.Fix]
    let code: Diagnostic.Code

    static func all(_ diagnostics: Diagnostics, in model: Model, _ bytes: [UInt8]) -> [ModelFinding] {
        let file = model.location.file
        var texts = ModelTexts()
        texts.open[file] = bytes
        var resolver = FindingResolver(texts)
        let items = model.itemsByPlace
        // Those about other versions are shown with these.
        let found = resolver.resolved(diagnostics).sorted.filter {
            $0.location.file == file || !$0.location.file.hasSuffix("/contents")
        }
        return found.map { finding in
            let (attribute, elements) = resolver.subject(of: finding)
            let item = elements.lazy.compactMap { items[$0] }.first
            var field = attribute.flatMap { ModelField.name(ofAttribute: $0) }
            // The entity of a fetched property's request is its destination.
            if case .property = item, attribute == "entity" { field = "destination" }
            let fixes = finding.fixes.filter { resolver.edits(of: $0) != nil }
            return ModelFinding(
                item: item, field: field, severity: finding.severity, message: finding.message,
                notes: finding.notesBesidesFixes
                    + finding.fixes.filter { !fixes.contains($0) }.map(\.title),
                fixes: fixes, code: finding.code)
        }
    }
}

extension Model {
    /// The items by the places of their elements.
    fileprivate var itemsByPlace: [SourceLocation: ModelItem] {
        var items: [SourceLocation: ModelItem] = [:]
        for entity in entities {
            items[entity.location] = .entity(entity.name)
            for index in entity.indexes { items[index.location] = .index(index.name, of: entity.name) }
            for constraint in entity.uniquenessConstraints {
                items[constraint.location] = .constraint(constraint.propertyNames, of: entity.name)
            }
            // An attribute that asks for an index is at the place of that.
            for attribute in entity.attributes {
                items[attribute.location] = .property(attribute.name, of: entity.name)
            }
            for relationship in entity.relationships {
                items[relationship.location] = .property(relationship.name, of: entity.name)
            }
            for property in entity.fetchedProperties {
                items[property.location] = .property(property.name, of: entity.name)
            }
        }
        for composite in composites {
            items[composite.location] = .composite(composite.name)
            for attribute in composite.attributes {
                items[attribute.location] = .property(attribute.name, of: composite.name)
            }
        }
        for request in fetchRequests { items[request.location] = .fetchRequest(request.name) }
        return items
    }
}
