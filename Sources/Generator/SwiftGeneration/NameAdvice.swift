public import DataModel

/// Advice on names that differ between Swift and the model.
public enum NameAdvice {
    /// A note on every property and entity of a version whose Swift name is not the one in the model, and on every
    /// property that is written like a type.
    public static func check(_ model: Model) -> Diagnostics {
        var diagnostics = Diagnostics()
        for entity in model.entities {
            let properties =
                entity.attributes.map { ($0.name, $0.location) } + entity.relationships.map { ($0.name, $0.location) }
            for (name, location) in properties {
                let swiftName = SwiftName.property(name)
                // After a dot, Swift accepts all keywords, so that backticks deserve no note.
                if swiftName == name + "_" {
                    report(
                        "Property '\(entity.name).\(name)' is called '\(swiftName)' in Swift", at: location,
                        &diagnostics)
                } else {
                    reportCase(of: name, entity.name, at: location, &diagnostics)
                }
            }
            let className = SwiftName.className(represented: entity.representedClassName, entity: entity.name)
            if className.hasSuffix("_"), !entity.name.hasSuffix("_") {
                report(
                    "The class of entity '\(entity.name)' is called '\(className)'", at: entity.location, &diagnostics)
            }
        }
        reportSharedClasses(of: model.entities, &diagnostics)
        return diagnostics
    }

    /// Core Data lets entities share a class. Here each entity has a class of its own, and none has the shared name.
    private static func reportSharedClasses(of entities: [Entity], _ diagnostics: inout Diagnostics) {
        let named = Dictionary(grouping: entities) { entity in
            SwiftName.className(represented: entity.representedClassName, entity: entity.name)
        }
        for entity in entities {
            let shared = SwiftName.className(represented: entity.representedClassName, entity: entity.name)
            let className = SwiftName.className(represented: nil, entity: entity.name)
            guard className != shared, let others = named[shared], others.count > 1 else { continue }
            let names = others.filter { $0.name != entity.name }.map { "'\($0.name)'" }.joined(separator: ", ")
            diagnostics.report(
                Diagnostic(
                    .swiftName, at: entity.location,
                    "Entity '\(entity.name)' has the class '\(shared)' as has \(names): its own is called "
                        + "'\(className)'",
                    notes: ["Each entity has a class of its own; give them different names to choose which"],
                    attribute: "representedClassName"))
        }
    }

    private static func reportCase(
        of name: String, _ entityName: String, at location: SourceLocation, _ diagnostics: inout Diagnostics
    ) {
        guard let first = name.unicodeScalars.first, first.properties.isUppercase,
            // An abbreviation, such as `URL`, is not a mistake.
            name.unicodeScalars.dropFirst().first.map({ !$0.properties.isUppercase }) ?? false
        else { return }
        report(
            "Property '\(entityName).\(name)' begins with a capital letter, as types do in Swift", at: location,
            &diagnostics)
    }

    private static func report(_ message: String, at location: SourceLocation, _ diagnostics: inout Diagnostics) {
        diagnostics.report(
            Diagnostic(
                .swiftName, at: location, message,
                notes: ["Another name, with this one as its renaming identifier, does not change the stored data"],
                attribute: "name"))
    }
}
