import DataModel
import Foundation
import ModelFormat
import RelationalSchema
import SwiftGeneration

extension ModelServer {
    /// Describes the part under the cursor: its Swift declaration, its columns, and its history.
    func hover(_ parameters: JSONValue) throws(ResponseError) -> JSONValue {
        let document = try document(parameters)
        let offset = try offset(parameters, in: document)
        if let (version, _, found) = try occurrence(parameters) {
            let lines = group(of: version).lazy.compactMap { file in
                ModelPath(ofFile: file.path).flatMap { self.description(of: found.item, in: file, $0.bundle) }
            }
            return lines.first.map { markup($0, version.text.range(found.range, client.encoding)) } ?? .null
        }
        guard let version = versionText(document.path), let (range, sql) = statement(at: offset, in: version) else {
            return .null
        }
        return markup([.code("sql", sql)], version.text.range(range, client.encoding))
    }

    /// A part of a description.
    private enum Line {
        case text(String)
        case code(String, String)
    }

    private func markup(_ lines: [Line], _ range: JSONValue) -> JSONValue {
        let isMarkdown = client.acceptsMarkdown
        let text = lines.map { line in
            switch line {
            case .text(let text): text
            case .code(let language, let text): isMarkdown ? "```\(language)\n\(text)\n```" : text
            }
        }.joined(separator: "\n\n")
        return [
            "contents": ["kind": .string(isMarkdown ? "markdown" : "plaintext"), "value": .string(text)],
            "range": range,
        ]
    }

    private func description(of item: ModelItem, in version: EditedVersion, _ bundle: String) -> [Line]? {
        guard let graph = version.graph, let schema = version.schema else { return nil }
        let outline = SwiftOutline(schema, modelName: version.name)
        switch item {
        case .entity(let name):
            guard let entity = graph.entity(named: name) else { return nil }
            return lines(entity, outline, schema) + history(item, of: version, bundle)
        case .property(let name, let owner):
            guard let entity = graph.entity(named: owner) else {
                return graph.composite(named: owner)?.attributes.first { $0.name == name }
                    .map { [.code("swift", outline.declaration(of: $0))] }
            }
            if let attribute = entity.attributes.first(where: { $0.name == name }) {
                return lines(attribute, of: entity, outline, schema) + history(item, of: version, bundle)
            }
            guard let relationship = entity.relationships.first(where: { $0.name == name }) else { return nil }
            return lines(relationship, of: entity, outline, schema) + history(item, of: version, bundle)
        case .index(let name, let owner):
            guard let entity = graph.entity(named: owner), let storage = schema.storage(of: entity),
                let index = entity.indexes.first(where: { $0.name == name })
            else { return nil }
            let definitions =
                schema.indexes.filter { $0.tableName == storage.tableName && $0.definition.contains(name) }
                .map(\.definition)
                + schema.rtrees.filter { $0.tableName == storage.tableName && $0.name.contains(name) }.map(\.definition)
                + schema.fullTextTables.filter { $0.tableName == storage.tableName && $0.name.contains(name) }
                .map(\.definition)
            return [.text("Index `\(index.name)` of `\(owner)`")]
                + (definitions.isEmpty ? [] : [.code("sql", definitions.joined(separator: ";\n"))])
        case .fetchRequest(let name):
            guard let request = graph.model.fetchRequests.first(where: { $0.name == name }),
                let sql = sql(of: request.location, in: schema)
            else { return nil }
            return [.text("Fetch request `\(name)` of `\(request.entityName)`"), .code("sql", sql)]
        case .composite, .configuration, .constraint, .model: return nil
        }
    }

    private func lines(_ entity: Entity, _ outline: SwiftOutline, _ schema: Schema) -> [Line] {
        let declarations =
            entity.attributes.map { outline.declaration(of: $0) }
            + entity.relationships.map { outline.declaration(of: $0) }
        let parent = schema.graph.parent(of: entity).map { ": \(outline.className(of: $0))" } ?? ""
        let body = declarations.map { "    \($0)\n" }.joined()
        var result: [Line] = [.code("swift", "class \(outline.className(of: entity))\(parent) {\n\(body)}")]
        if let storage = schema.storage(of: entity),
            let table = schema.tables.first(where: { $0.name == storage.tableName })
        {
            result.append(.code("sql", table.definition))
        }
        return result
    }

    private func lines(
        _ attribute: Attribute, of entity: Entity, _ outline: SwiftOutline, _ schema: Schema
    ) -> [Line] {
        var result: [Line] = [.code("swift", outline.declaration(of: attribute))]
        let columns = schema.storage(of: entity)?.ownColumns.filter { column in
            if let leaf = column.leaf { return leaf.names.first == attribute.name && column.entityName == entity.name }
            guard case .attribute(let stored) = column.content else { return false }
            return stored.name == attribute.name && column.entityName == entity.name
        }
        if let columns, !columns.isEmpty {
            result.append(.code("sql", columns.map(\.column.definition).joined(separator: ",\n")))
        } else {
            result.append(.text("Not stored."))
        }
        if let expression = attribute.derivationExpression { result.append(.text("Derived by `\(expression)`.")) }
        if let text = attribute.defaultValueString ?? attribute.defaultDateTimeInterval {
            result.append(.text("Default: `\(text)`"))
        }
        return result
    }

    private func lines(
        _ relationship: Relationship, of entity: Entity, _ outline: SwiftOutline, _ schema: Schema
    ) -> [Line] {
        var result: [Line] = [.code("swift", outline.declaration(of: relationship))]
        switch schema.storage(of: relationship, in: entity) {
        case .column(let name): result.append(.text("Stored in the column `\(name)`."))
        case .inverseColumn(let table, let column, _):
            result.append(.text("Stored in the column `\(column)` of `\(table)`."))
        case .joinTable(let table, let own, let other, _):
            result.append(.text("Stored in the table `\(table)`, in `\(own)` and `\(other)`."))
        case nil: result.append(.text("Not stored."))
        }
        if let (owner, inverse) = schema.graph.inverse(of: relationship) {
            result.append(.text("Inverse: `\(owner.name).\(inverse.name)`"))
        }
        result.append(.text("When the object is deleted: \(relationship.deletionRule.rawValue)"))
        return result
    }

    // MARK: Versions

    /// The first version that has the part, and the steps of the migration that change it.
    private func history(_ item: ModelItem, of version: EditedVersion, _ bundle: String) -> [Line] {
        let names = versionNames(ofBundle: bundle)
        guard bundle.hasSuffix(".xcdatamodeld"), let position = names.firstIndex(of: version.name), names.count > 1
        else {
            return []
        }
        var first = version.name
        var former = item
        var newer = version
        for name in names[..<position].reversed() {
            guard let older = versionText("\(bundle)/\(name).xcdatamodel/contents"),
                let found = self.item(former, of: [newer], in: [older])
            else { break }
            (first, former, newer) = (name, found, older)
        }
        var result: [Line] = [.text(first == version.name ? "New in this version." : "Since version `\(first)`.")]
        let steps = migrationSteps(of: item, to: version.name, bundle)
        if !steps.isEmpty {
            result.append(.text("The migration to this version: " + steps.joined(separator: "; ") + "."))
        }
        return result
    }

    private func migrationSteps(of item: ModelItem, to version: String, _ bundle: String) -> [String] {
        guard let plan = bundles[bundle]?.plan, let index = plan.versions.firstIndex(where: { $0.name == version }),
            plan.steps.indices.contains(index)
        else { return [] }
        let word =
            if let container = item.container { "\(container).\(item.name)" } else { item.name }
        return plan.steps[index].map(\.description).filter { step in
            step.split(whereSeparator: { $0 == " " || $0 == "," }).contains { $0 == word }
        }
    }

    // MARK: Statements

    /// The statement of the request whose predicate the cursor is in.
    private func statement(at offset: Int, in version: EditedVersion) -> (Range<Int>, String)? {
        guard let document = version.document, let schema = version.schema,
            let index = document.element(startingAtOrBefore: offset),
            let attribute = document.elements[index].attributes.first(where: {
                $0.range.lowerBound <= offset && offset <= $0.range.upperBound
            }), document.text(attribute.nameRange) == "predicateString"
        else { return nil }
        let holder = document.ancestor(of: index, named: ["fetchedProperty"]) ?? index
        guard let location = version.location(of: document.elements[holder].startTag.lowerBound),
            let sql = sql(of: location, in: schema)
        else { return nil }
        return (attribute.range, sql)
    }

    private func sql(of location: SourceLocation, in schema: Schema) -> String? {
        queries(schema).first { $0.location == location }?.sql
    }
}
