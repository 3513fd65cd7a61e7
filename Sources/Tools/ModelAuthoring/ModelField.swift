public import DataModel
import Foundation

/// A field of the form for an item.
@_spi(Studio) public struct ModelField: Sendable, Hashable {
    /// The kinds of controls.
    public enum Kind: Sendable, Hashable {
        case text
        /// A longer text, such as a predicate.
        case expression
        case number
        case flag
        /// A choice of values; the empty one, if there is it, stands for none.
        case choice([String])
    }

    public let name: String
    public let label: String
    public let kind: Kind
    /// The value as a text; `YES` of a flag that is set.
    public let value: String
    public let hint: String?

    init(_ name: String, _ label: String, _ kind: Kind, _ value: String?, hint: String? = nil) {
        (self.name, self.label, self.kind, self.value, self.hint) = (name, label, kind, value ?? "", hint)
    }

    init(_ name: String, _ label: String, _ isSet: Bool, hint: String? = nil) {
        self.init(name, label, .flag, isSet ? "YES" : "", hint: hint)
    }

    /// The field for an attribute of the XML format; nil if there is none.
    static func name(ofAttribute name: String) -> String? {
        switch name {
        case "composite": "attributeType"
        case "defaultValueString", "defaultDateTimeInterval": "default"
        case "minValueString", "minDateTimeInterval": "minimum"
        case "maxValueString", "maxDateTimeInterval": "maximum"
        case "derived": "derivationExpression"
        case "inverseName", "inverseEntity": "inverse"
        case "property", "order": "elements"
        default: name
        }
    }

    static let version = [("elementID", "Renaming identifier"), ("versionHashModifier", "Hash modifier")]
}

extension ModelSnapshot {
    /// The fields of an item with their values; nil if the version has no such item, or it has no fields.
    public func fields(of item: ModelItem) -> [ModelField]? {
        switch item {
        case .entity(let name): return entity(name).map(fields)
        case .composite(let name): return composite(name).map { [ModelField("name", "Name", .text, $0.name)] }
        case .property(let name, let owner):
            if let entity = entity(owner) {
                if let attribute = entity.attributes.first(where: { $0.name == name }) {
                    return fields(attribute, of: entity)
                }
                if let relationship = entity.relationships.first(where: { $0.name == name }) {
                    return fields(relationship, of: entity)
                }
                return entity.fetchedProperties.first { $0.name == name }.map { fields($0, of: entity) }
            }
            return composite(owner)?.attributes.first { $0.name == name }.map { fields($0, of: nil) }
        case .index(let name, let owner): return entity(owner)?.indexes.first { $0.name == name }.map(fields)
        case .fetchRequest(let name): return model.fetchRequests.first { $0.name == name }.map(fields)
        case .model: return []
        case .constraint, .configuration: return nil
        }
    }

    private func fields(_ entity: Entity) -> [ModelField] {
        let graph = ModelGraph(model)
        let parents = model.entities.filter { !graph.isEntity($0, kindOf: entity) }.map(\.name)
        return [
            ModelField("name", "Name", .text, entity.name),
            ModelField("parentEntity", "Parent", .choice([""] + parents.sorted()), entity.parentName),
            ModelField("isAbstract", "Abstract", entity.isAbstract),
            ModelField("representedClassName", "Class", .text, entity.representedClassName),
            ModelField("elementID", "Renaming identifier", .text, entity.renamingIdentifier),
            ModelField("versionHashModifier", "Hash modifier", .text, entity.versionHashModifier),
        ]
    }

    /// The types of attributes: those of the format, and the composites.
    public var attributeTypes: [String] {
        AttributeType.plain.map(\.rawValue) + model.composites.map(\.name)
    }

    private func fields(_ attribute: Attribute, of entity: Entity?) -> [ModelField] {
        let isDate = attribute.type == .date
        let dates = isDate ? "such as 2026-01-31T09:30:00Z" : nil
        func shown(_ text: String?, _ interval: String?) -> String? { isDate ? ModelDate.text(interval) : text }
        var fields = [
            ModelField("name", "Name", .text, attribute.name),
            ModelField(
                "attributeType", "Type", .choice(attributeTypes), attribute.compositeName ?? attribute.type.rawValue),
            ModelField("optional", "Optional", attribute.isOptional),
            ModelField(
                "default", "Default", .text, shown(attribute.defaultValueString, attribute.defaultDateTimeInterval),
                hint: dates),
            ModelField(
                "minimum", attribute.type == .string ? "Minimum length" : "Minimum", .text,
                shown(attribute.minimumValue, attribute.minimumDateTimeInterval), hint: dates),
            ModelField(
                "maximum", attribute.type == .string ? "Maximum length" : "Maximum", .text,
                shown(attribute.maximumValue, attribute.maximumDateTimeInterval), hint: dates),
            ModelField("regularExpressionString", "Pattern", .text, attribute.regularExpression),
            ModelField("transient", "Transient", attribute.isTransient),
            ModelField(
                "allowsExternalBinaryDataStorage", "External storage", attribute.allowsExternalBinaryDataStorage),
            ModelField("usesScalarValueType", "Scalar type", attribute.usesScalarValueType),
            ModelField(
                "derivationExpression", "Derived from", .expression, attribute.derivationExpression,
                hint: "an expression such as posts.@count"),
            ModelField("valueTransformerName", "Transformer", .text, attribute.valueTransformerName),
            ModelField("customClassName", "Class", .text, attribute.customClassName),
            ModelField("preserveAfterDeletion", "Preserve after deletion", attribute.preservesValueAfterDeletion),
        ]
        fields += [
            ModelField("elementID", "Renaming identifier", .text, attribute.renamingIdentifier),
            ModelField("versionHashModifier", "Hash modifier", .text, attribute.versionHashModifier),
        ]
        guard let entity else { return fields }
        let isUnique = entity.uniquenessConstraints.contains { $0.propertyNames == [attribute.name] }
        fields.insert(ModelField("unique", "Unique", isUnique), at: 3)
        fields.append(ModelField("entity", "Entity", .choice(model.entities.map(\.name).sorted()), entity.name))
        return fields
    }

    private func fields(_ relationship: Relationship, of entity: Entity) -> [ModelField] {
        let inverse = relationship.inverseName.map {
            "\(relationship.inverseEntityName ?? relationship.destinationName).\($0)"
        }
        let maximum = relationship.isToMany && relationship.maximumCount > 0 ? "\(relationship.maximumCount)" : nil
        return [
            ModelField("name", "Name", .text, relationship.name),
            ModelField(
                "destinationEntity", "Destination", .choice(model.entities.map(\.name).sorted()),
                relationship.destinationName),
            ModelField("inverse", "Inverse", .choice([""] + inverses(of: relationship, of: entity)), inverse),
            ModelField("toMany", "To many", relationship.isToMany),
            ModelField("optional", "Optional", relationship.isOptional),
            ModelField(
                "minCount", "Minimum", .number, relationship.minimumCount > 0 ? "\(relationship.minimumCount)" : ""),
            ModelField(
                "maxCount", "Maximum", .number, maximum, hint: "of a relationship to many; empty for any number"),
            ModelField(
                "deletionRule", "Deletion rule", .choice(Relationship.DeletionRule.allCases.map(\.rawValue)),
                relationship.deletionRule.rawValue),
            ModelField("ordered", "Ordered", relationship.isOrdered),
            ModelField("transient", "Transient", relationship.isTransient),
            ModelField("elementID", "Renaming identifier", .text, relationship.renamingIdentifier),
            ModelField("versionHashModifier", "Hash modifier", .text, relationship.versionHashModifier),
            ModelField("entity", "Entity", .choice(model.entities.map(\.name).sorted()), entity.name),
        ]
    }

    /// The relationships that may be the inverse of one.
    private func inverses(of relationship: Relationship, of entity: Entity) -> [String] {
        let graph = ModelGraph(model)
        guard let destination = graph.entity(named: relationship.destinationName) else { return [] }
        return model.entities.filter {
            graph.isEntity($0, kindOf: destination) || graph.isEntity(destination, kindOf: $0)
        }.flatMap { other in
            other.relationships.filter { candidate in
                guard let back = graph.entity(named: candidate.destinationName) else { return false }
                return graph.isEntity(entity, kindOf: back) || graph.isEntity(back, kindOf: entity)
            }.map { "\(other.name).\($0.name)" }
        }.sorted()
    }

    private func fields(_ index: FetchIndex) -> [ModelField] {
        let elements = index.elements.map {
            ($0.propertyName ?? $0.expression ?? "") + ($0.isAscending ? "" : ":descending")
        }
        return [
            ModelField("name", "Name", .text, index.name),
            ModelField(
                "elements", "Properties", .text, elements.joined(separator: ", "),
                hint: IndexElements.hint),
            ModelField("partialIndexPredicate", "Only rows where", .expression, index.partialIndexPredicate),
        ]
    }

    private func fields(_ request: FetchRequest) -> [ModelField] {
        [
            ModelField("name", "Name", .text, request.name),
            ModelField("entity", "Entity", .choice(model.entities.map(\.name).sorted()), request.entityName),
        ] + settings(of: request)
    }

    private func fields(_ property: FetchedProperty, of entity: Entity) -> [ModelField] {
        let names = model.entities.map(\.name).sorted()
        return [
            ModelField("name", "Name", .text, property.name),
            ModelField("destination", "Destination", .choice(names), property.request.entityName),
        ] + settings(of: property.request) + [ModelField("entity", "Entity", .choice(names), entity.name)]
    }

    private func settings(of request: FetchRequest) -> [ModelField] {
        [
            ModelField("predicateString", "Predicate", .expression, request.predicate),
            ModelField("fetchLimit", "Limit", .number, request.fetchLimit > 0 ? "\(request.fetchLimit)" : ""),
            ModelField(
                "fetchBatchSize", "Batch size", .number, request.fetchBatchSize > 0 ? "\(request.fetchBatchSize)" : ""),
        ]
    }

    /// The `userInfo` of an item.
    public func entries(of item: ModelItem) -> [UserInfo.Entry] {
        let found: UserInfo? =
            switch item {
            case .entity(let name): entity(name)?.userInfo
            case .composite(let name): composite(name)?.userInfo
            case .property(let name, let owner):
                if let entity = entity(owner) {
                    entity.attributes.first { $0.name == name }?.userInfo
                        ?? entity.relationships.first { $0.name == name }?.userInfo
                        ?? entity.fetchedProperties.first { $0.name == name }?.userInfo
                } else {
                    composite(owner)?.attributes.first { $0.name == name }?.userInfo
                }
            case .model: model.userInfo
            case .index, .constraint, .fetchRequest, .configuration: nil
            }
        return found?.entries ?? []
    }
}

/// Dates of the XML format, which are seconds since 2001.
enum ModelDate {
    /// The date of a number of seconds, or the text itself if it is not one.
    static func text(_ interval: String?) -> String? {
        guard let interval else { return nil }
        guard let seconds = Double(interval), abs(seconds) < 1e11 else { return interval }
        return Date(timeIntervalSinceReferenceDate: seconds).formatted(
            .iso8601.year().month().day().time(includingFractionalSeconds: seconds.rounded() != seconds)
                .timeZone(separator: .omitted))
    }

    /// The seconds of a date; nil if the text is not one.
    static func interval(_ text: String) -> String? {
        guard let date = try? Date(text, strategy: .iso8601) else { return nil }
        return String(Int(date.timeIntervalSinceReferenceDate))
    }
}
