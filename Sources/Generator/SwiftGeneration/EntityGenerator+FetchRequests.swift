import DataModel
import PredicateFormat

extension EntityGenerator {
    /// A static function for each fetch request template of the entity.
    var fetchRequestsExtension: TypeDeclaration? {
        let requests = model.graph.model.fetchRequests.filter { $0.entityName == entity.name }
        if requests.isEmpty { return nil }
        return TypeDeclaration(
            kind: .extension, name: className, members: requests.sorted { $0.name < $1.name }.map(function))
    }

    private func function(_ request: FetchRequest) -> Declaration {
        let resolution = model.graph.predicate(of: request)
        let names = resolution?.variableNames ?? []
        let locals = Locals(names)
        let parameters = names.map { name in
            let label = SwiftName.label(name)
            let local = locals.variables[name] ?? label
            return Parameter(
                name: local == SwiftName.property(name) ? label : "\(label) \(local)",
                type: swiftType(resolution?.variables[name] ?? .unknown))
        }
        let type = "FetchDescriptor<\(className)>"
        var body: [String]
        if isPlain(request) {
            body = ["\(type)()"]
        } else {
            body = statements(request, resolution, of: entity, locals, source: nil)
            body.append("return \(locals.request)")
        }
        return .function(
            FunctionDeclaration(
                documentation: documentation(request, entity), access: access, modifiers: ["static"],
                name: "func \(SwiftName.function(request.name))", parameters: parameters, result: "-> \(type)",
                body: body))
    }

    /// A property for each fetched property of the entity.
    var fetchedProperties: [Declaration] {
        entity.fetchedProperties.compactMap { property in
            guard let destination = model.graph.entity(named: property.request.entityName) else { return nil }
            let resolution = model.graph.predicate(of: property, in: entity)
            let locals = Locals([])
            var body = statements(property.request, resolution, of: destination, locals, source: "self")
            body.append("return try _ashlarFetched(\(locals.request))")
            let documentation =
                Self.documentation(property.userInfo) + self.documentation(property.request, destination) + [
                    "", "They are fetched at each access; an object in no context has none.", "",
                    "- Throws: `StoreError` when the store cannot be read.",
                ]
            return .property(
                PropertyDeclaration(
                    documentation: documentation, access: access, modifiers: finality,
                    name: SwiftName.property(property.name), type: "[\(model.className(destination))]",
                    accessors: [Accessor(keyword: "get throws", body: body)]))
        }
    }

    private func documentation(_ request: FetchRequest, _ entity: Entity) -> [String] {
        guard let predicate = request.predicate else { return ["The objects of `\(entity.name)`."] }
        let text = SwiftName.commentLines(predicate).filter { !$0.isEmpty }.joined(separator: " ")
        return ["The objects of `\(entity.name)` for which this holds:", "", "    \(text)"]
    }

    private func isPlain(_ request: FetchRequest) -> Bool {
        request.predicate == nil && request.fetchLimit == 0 && request.includesSubentities
            && request.includesPendingChanges
    }

    /// The names of local variables, which no parameter has.
    private struct Locals {
        var request = "request"
        var columns = "columns"
        /// Those of parameters, by the names of the predicate's variables.
        var variables: [String: String] = [:]

        init(_ names: [String]) {
            for name in names {
                // A name that begins with a capital letter may be that of a type that the body uses.
                let mayBeType = name.unicodeScalars.first?.properties.isLowercase == false
                var local = mayBeType ? "\(name)_variable" : SwiftName.property(name)
                while names.contains(local), local != name { local += "_" }
                variables[name] = local
            }
            let taken = Set(variables.values)
            while taken.contains(request) { request += "_" }
            while taken.contains(columns) { columns += "_" }
        }
    }

    /// The statements that make a descriptor.
    private func statements(
        _ request: FetchRequest, _ resolution: Resolution<ResolvedPredicate>?, of destination: Entity,
        _ locals: Locals, source: String?
    ) -> [String] {
        let name = model.className(destination)
        var lines = ["var \(locals.request) = FetchDescriptor<\(name)>()"]
        if isPlain(request) { lines[0] = "let \(locals.request) = FetchDescriptor<\(name)>()" }
        if let predicate = resolution?.root {
            let target = SwiftPredicateTarget(
                model: model, entity: destination, row: locals.columns, source: source, variables: locals.variables)
            // The checker has ensured that the condition can be expressed.
            let code = (try? PredicateLowering(target).condition(predicate)) ?? .text(".or([])")
            let condition = SwiftCode.wrapped("\(locals.request).condition = ", .call("Condition", [code]), "")
            let condensed = condition.lines(after: 12, indent: 12)
            if condensed.contains(where: { $0.contains(locals.columns) }) {
                lines.append("let \(locals.columns) = \(name)._ashlarColumns")
            }
            lines += condensed
        }
        if request.fetchLimit > 0 { lines.append("\(locals.request).fetchLimit = \(request.fetchLimit)") }
        if !request.includesSubentities { lines.append("\(locals.request).includesSubentities = false") }
        if !request.includesPendingChanges { lines.append("\(locals.request).includePendingChanges = false") }
        return lines
    }

    /// The type of a parameter.
    private func swiftType(_ type: ResolvedType) -> String {
        switch type {
        case .value(let value): Self.swiftTypes[value] ?? "String"
        case .object(let name): model.graph.entity(named: name).map { model.className($0) } ?? "PersistentIdentifier"
        case .collection(let element): "[\(swiftType(element))]"
        case .bounds(let element): "ClosedRange<\(swiftType(element))>"
        case .composite, .fullText, .null, .unknown: "String"
        }
    }

    private static let swiftTypes: [ValueType: String] = [
        .integer16: "Int16", .integer32: "Int32", .integer64: "Int64", .decimal: "Decimal", .double: "Double",
        .float: "Float", .string: "String", .boolean: "Bool", .date: "Date", .binary: "Data", .uuid: "UUID",
        .uri: "URL", .objectID: "PersistentIdentifier",
    ]
}

extension ModelLayout {
    /// Returns whether the code of an entity's fetch requests uses types of Foundation.
    func fetchRequestsNeedFoundation(_ entity: Entity) -> Bool {
        let resolutions =
            graph.model.fetchRequests.filter { $0.entityName == entity.name }.map { graph.predicate(of: $0) }
            + entity.fetchedProperties.map { graph.predicate(of: $0, in: entity) }
        return resolutions.contains { $0 != nil }
    }
}
