/// The warnings that an author does not want to hear of, by `userInfo` entries of the elements that they are about.
///
/// The key is `ashlar.silence`; the value is the codes, separated by commas. Errors cannot be silenced.
struct SilencedFindings {
    private var codes: [SourceLocation: Set<String>] = [:]

    init(_ model: Model) {
        for entity in model.entities {
            add(entity.userInfo, entity.location)
            for attribute in entity.attributes { add(attribute.userInfo, attribute.location) }
            for relationship in entity.relationships { add(relationship.userInfo, relationship.location) }
        }
        for composite in model.composites {
            add(composite.userInfo, composite.location)
            for attribute in composite.attributes { add(attribute.userInfo, attribute.location) }
        }
    }

    private mutating func add(_ userInfo: UserInfo, _ location: SourceLocation) {
        guard let value = userInfo["ashlar.silence"] else { return }
        let names = value.split(separator: ",").map { $0.filter { $0 != " " } }
        codes[location, default: []].formUnion(names)
    }

    func removed(from diagnostics: Diagnostics) -> Diagnostics {
        if codes.isEmpty { return diagnostics }
        var result = Diagnostics()
        for finding in diagnostics.all
        where finding.severity == .error || codes[finding.location]?.contains(finding.code.rawValue) != true {
            result.report(finding)
        }
        return result
    }
}
