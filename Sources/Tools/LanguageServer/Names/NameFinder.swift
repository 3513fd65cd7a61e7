import DataModel
import ModelFormat

/// Finds all places in a version's text that name a part of the model: its declaration, and the references that a rename
/// changes.
struct NameFinder {
    private(set) var occurrences: [Occurrence] = []

    /// Nil where nothing can be read of the text.
    ///
    /// - Parameter graph: The model that names are resolved in. It has more than the version if bundles are merged.
    init?(_ version: EditedVersion, in graph: ModelGraph) {
        guard let document = version.document, let model = version.model else { return nil }
        for (index, element) in document.elements.enumerated() {
            guard let attribute = document.attribute("name", of: element), !attribute.valueRange.isEmpty,
                let item = Self.item(declaredBy: index, document.value(of: attribute), in: document)
            else { continue }
            occurrences.append(
                Occurrence(item: item, range: attribute.valueRange, isDeclaration: true, element: index))
        }
        // A class is called like its entity, and is not the entity.
        for reference in graph.references(in: model) where reference.use != .className {
            guard let offset = version.offset(of: reference.element), let index = document.element(at: offset),
                let range = document.range(of: reference.place, in: document.elements[index])
            else { continue }
            occurrences.append(Occurrence(item: reference.item, range: range, element: index))
        }
    }

    /// The item that an element with a name declares.
    private static func item(declaredBy index: Int, _ name: String, in document: SourceDocument) -> ModelItem? {
        let element = document.elements[index]
        let parent = element.parent.map { document.elements[$0] }
        let parentName = parent.map { document.name(of: $0) }
        let owner = parent.flatMap { document.value("name", of: $0) }
        switch document.name(of: element) {
        case "entity": return .entity(name)
        case "composite": return .composite(name)
        case "configuration": return .configuration(name)
        case "fetchRequest": return parentName == "model" ? .fetchRequest(name) : nil
        case "attribute", "relationship", "fetchedProperty":
            guard parentName == "entity" || parentName == "composite" else { return nil }
            return owner.map { .property(name, of: $0) }
        case "fetchIndex": return parentName == "entity" ? owner.map { .index(name, of: $0) } : nil
        default: return nil
        }
    }
}
