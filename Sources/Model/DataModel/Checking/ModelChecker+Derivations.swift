import PredicateFormat

extension ModelChecker {
    /// Checks derived attributes: their expressions, whether the types fit, and that none depends on itself.
    mutating func checkDerivations() {
        guard model.entities.contains(where: { $0.attributes.contains(where: \.isDerived) }) else { return }
        let graph = ModelGraph(model)
        var dependencies: [DerivedName: DerivedName] = [:]
        for entity in model.entities {
            for attribute in entity.attributes {
                guard let derivation = checkDerivation(of: attribute, entity, graph),
                    let source = derivation.source, source.isDerived,
                    let sourceEntity = graph.entity(named: derivation.sourceEntityName),
                    let owner = graph.owner(ofAttribute: source.name, in: sourceEntity)
                else { continue }
                dependencies[DerivedName(entity.name, attribute.name)] = DerivedName(owner.name, source.name)
            }
        }
        checkCycles(dependencies)
    }

    private mutating func checkDerivation(
        of attribute: Attribute, _ entity: Entity, _ graph: ModelGraph
    ) -> Derivation? {
        guard let expression = attribute.derivationExpression else { return nil }
        let title = "Derived attribute '\(entity.name).\(attribute.name)'"
        if attribute.isTransient {
            report(
                .invalidDerivation, at: attribute.location, "\(title) is transient, and so has no column to keep",
                notes: ["Remove transient=\"YES\", or compute the value in Swift"])
            return nil
        }
        do throws(PredicateFormatError) {
            let derivation = try graph.derivation(expression, of: entity)
            checkType(of: attribute, derivation, title)
            checkOptionality(of: attribute, derivation, title)
            return derivation
        } catch {
            report(
                .invalidDerivation,
                at: attribute.derivationLocation?.location(at: error.range.lowerBound) ?? attribute.location,
                "\(title): \(error.message)", notes: [error.note])
            return nil
        }
    }

    private mutating func checkType(of attribute: Attribute, _ derivation: Derivation, _ title: String) {
        if case .sum = derivation.operation, derivation.source?.type == .decimal {
            report(
                .invalidDerivation, at: attribute.derivationLocation?.location(at: 0) ?? attribute.location,
                "\(title) is a sum of decimal numbers, which SQLite cannot add without loss",
                notes: ["Store integers, such as cents, and derive their sum; or add the numbers in Swift"])
            return
        }
        let fitting = derivation.fittingTypes
        if fitting.contains(attribute.type) { return }
        let names = fitting.map(\.rawValue).joined(separator: " or ")
        report(
            .invalidDerivation, at: attribute.location,
            "\(title) has the type \(attribute.type.rawValue), but its expression gives \(names)",
            notes: ["Write attributeType=\"\(fitting.last?.rawValue ?? "")\""],
            fixes: fitting.map { type in
                Diagnostic.Fix(
                    "Make it of type \(type.rawValue)",
                    [Diagnostic.Change(attribute.location, .setAttribute("attributeType", to: type.rawValue))])
            }, attribute: "attributeType")
    }

    /// Checks that a value that may be missing is not that of a required attribute without a default.
    private mutating func checkOptionality(of attribute: Attribute, _ derivation: Derivation, _ title: String) {
        if attribute.isOptional || (try? attribute.defaultValue()) != nil { return }
        if derivation.isOptional {
            report(
                .requiredDerivation, at: attribute.location,
                "\(title) is required, but there may be nothing to derive it from",
                notes: ["Add optional=\"YES\", or a default for the objects that lack it"],
                fixes: [Self.makingOptional(attribute)])
        } else if !attribute.hasNeutralValue {
            report(
                .requiredDerivation, at: attribute.location,
                "\(title) is required, but has no value before the first save",
                notes: ["Add optional=\"YES\": the store derives the value when it saves the object"],
                fixes: [Self.makingOptional(attribute)])
        }
    }

    private static func makingOptional(_ attribute: Attribute) -> Diagnostic.Fix {
        Diagnostic.Fix(
            "Make it optional", [Diagnostic.Change(attribute.location, .setAttribute("optional", to: "YES"))])
    }

    private mutating func checkCycles(_ dependencies: [DerivedName: DerivedName]) {
        for entity in model.entities {
            for attribute in entity.attributes where attribute.isDerived {
                let start = DerivedName(entity.name, attribute.name)
                var names = [start]
                var current = start
                // A cycle that does not return to this attribute is found from the attribute that it returns to.
                while let next = dependencies[current], !names.contains(next) {
                    names.append(next)
                    current = next
                }
                guard dependencies[current] == start else { continue }
                let way = (names.dropFirst() + [start]).map { "'\($0.entityName).\($0.name)'" }
                report(
                    .derivationCycle, at: attribute.location,
                    "Derived attribute '\(entity.name).\(attribute.name)' depends on itself, by "
                        + way.joined(separator: ", then "),
                    notes: ["Derive one of them from an attribute that is not derived"])
            }
        }
    }
}

/// A derived attribute by the entity that declares it.
private struct DerivedName: Hashable {
    var entityName: String
    var name: String

    init(_ entityName: String, _ name: String) {
        self.entityName = entityName
        self.name = name
    }
}

extension Derivation {
    /// The types of attributes that hold the value without loss, the best last.
    fileprivate var fittingTypes: [AttributeType] {
        switch operation {
        case .now: [.date]
        case .fold: [.string]
        case .count: [.integer16, .integer32, .integer64]
        case .sum:
            switch source?.type {
            case .double, .float: [.float, .double]
            default: [.integer32, .integer64]
            }
        case .copy:
            switch source?.type {
            case .boolean: [.integer64, .integer32, .integer16, .boolean]
            case .integer16: [.integer64, .integer32, .integer16]
            case .integer32: [.integer64, .integer32]
            case .float: [.double, .float]
            case let type?: [type]
            case nil: []
            }
        }
    }
}

extension Attribute {
    /// Whether Swift has a neutral value for the type: 0, an empty string, the start of 2001.
    package var hasNeutralValue: Bool {
        if userInfo["ashlar.swiftType"] != nil { return false }
        switch type {
        case .integer16, .integer32, .integer64, .decimal, .double, .float, .string, .boolean, .date, .binary:
            return true
        default: return false
        }
    }
}
