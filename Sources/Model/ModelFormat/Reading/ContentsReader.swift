import DataModel

/// Turns the XML of one version into values, and collects its problems.
struct ContentsReader {
    private(set) var file: String
    var diagnostics = Diagnostics()
    private let previous: ReadEntities
    /// The entities of the version, for reading the next one.
    private(set) var entities = ReadEntities()

    init(file: String, after previous: ReadEntities = ReadEntities()) {
        self.file = file
        self.previous = previous
    }

    /// Reads a version; nil when the XML is not that of a model.
    mutating func readModel(named name: String, from root: XMLElement) -> Model? {
        let expectedType = "com.apple.IDECoreDataModeler.DataModel"
        guard root.name == "model", root["type", default: expectedType] == expectedType else {
            diagnostics.report(
                .notAModel, at: root.attribute("type")?.location ?? root.location,
                "The file is XML, but not a data model",
                notes: ["Its outermost element must be <model type=\"\(expectedType)\">"])
            return nil
        }
        let children = root.children
        let unchanged = children.map { $0.name == "entity" ? previous.entity(writtenIn: $0) : nil }
        if let location = root.externalSubset { reportFileOutside("The document type names a file", at: location) }
        checkAttributes(of: root, named: "<model>")
        let userInfo = readUserInfo(of: root)
        let isSound = zip(children, unchanged).map { child, unchanged in
            let count = diagnostics.all.count
            if unchanged == nil { checkVocabulary(ofChild: child, of: root, named: "<model>") }
            return diagnostics.all.count == count
        }
        var model = Model(name: name, userInfo: userInfo, location: root.location)
        model.versionIdentifier = root["userDefinedModelVersionIdentifier"] ?? ""
        for (index, child) in children.enumerated() {
            switch child.name {
            case "entity":
                let count = diagnostics.all.count
                guard let entity = unchanged[index] ?? readEntity(child) else { continue }
                model.entities.append(entity)
                if isSound[index], diagnostics.all.count == count { entities.note(entity, writtenIn: child) }
            case "composite": if let composite = readComposite(child) { model.composites.append(composite) }
            case "configuration":
                if let configuration = readConfiguration(child) { model.configurations.append(configuration) }
            case "fetchRequest": if let request = readFetchRequest(child) { model.fetchRequests.append(request) }
            default: break
            }
        }
        return model
    }

    private mutating func readComposite(_ element: XMLElement) -> Composite? {
        let name = required("name", of: element, "A composite")
        var composite = Composite(name: name ?? "", attributes: [], location: element.location)
        composite.userInfo = readUserInfo(of: element)
        for child in element.children(named: "attribute") {
            if let attribute = readAttribute(child, of: composite.name) { composite.attributes.append(attribute) }
        }
        return name == nil ? nil : composite
    }

    private mutating func readConfiguration(_ element: XMLElement) -> Configuration? {
        let name = required("name", of: element, "A configuration")
        var configuration = Configuration(name: name ?? "", members: [], location: element.location)
        for member in element.children(named: "memberEntity") {
            if let entity = required("name", of: member, "A member of configuration '\(configuration.name)'") {
                configuration.members.append(Configuration.Member(entityName: entity, location: member.location))
            }
        }
        return name == nil ? nil : configuration
    }
}

extension XMLElement {
    fileprivate subscript(name: String, default value: String) -> String { self[name] ?? value }
}
