import DataModel

extension ContentsReader {
    /// Reports what the format does not know in an element and all below it.
    ///
    /// Such things never stop a build: a newer Xcode may write them.
    mutating func checkVocabulary(of element: XMLElement, named title: String, owner: String? = nil) {
        checkAttributes(of: element, named: title)
        for child in element.children { checkVocabulary(ofChild: child, of: element, named: title, owner: owner) }
    }

    /// Reports what the format does not know in the attributes of an element.
    mutating func checkAttributes(of element: XMLElement, named title: String) {
        guard let vocabulary = ElementVocabulary.all[element.name], !vocabulary.isIgnored else { return }
        // Namespace prefixes mark what belongs to other tools.
        for attribute in element.attributes
        where !vocabulary.attributes.contains(attribute.name) && !attribute.name.contains(":") {
            report(unknownAttribute: attribute, of: title, vocabulary)
        }
    }

    /// Reports what the format does not know in a child of an element, and all below it.
    mutating func checkVocabulary(
        ofChild child: XMLElement, of element: XMLElement, named title: String, owner: String? = nil
    ) {
        guard let vocabulary = ElementVocabulary.all[element.name], !vocabulary.isIgnored else { return }
        if vocabulary.children.contains(child.name) {
            let name = child["name"]
            let path = [owner, name].compactMap(\.self).joined(separator: ".")
            let title = path.isEmpty ? "<\(child.name)>" : "<\(child.name)> '\(path)'"
            checkVocabulary(of: child, named: title, owner: element.name == "model" ? name : path)
        } else if !child.name.contains(":") {
            report(unknownElement: child, in: title, vocabulary)
        }
    }

    private mutating func report(
        unknownAttribute attribute: XMLElement.Attribute, of title: String, _ vocabulary: ElementVocabulary
    ) {
        if let correct = vocabulary.misspelledAttributes[attribute.name] {
            diagnostics.report(
                .misspelledAttribute, at: attribute.location,
                "\(title) says '\(attribute.name)', which has no effect", notes: ["Write '\(correct)' instead"])
            return
        }
        let similar = Spelling.closest(to: attribute.name, among: vocabulary.attributes)
        diagnostics.report(
            .unknownAttribute, at: attribute.location,
            "\(title) has the unknown attribute '\(attribute.name)', which is ignored",
            notes: similar.map { ["Did you mean '\($0)'?"] } ?? [])
    }

    private mutating func report(
        unknownElement element: XMLElement, in title: String, _ vocabulary: ElementVocabulary
    ) {
        let similar =
            vocabulary.misspelledChildren[element.name]
            ?? Spelling.closest(to: element.name, among: vocabulary.children)
        diagnostics.report(
            .unknownElement, at: element.location,
            "\(title) contains the unknown element <\(element.name)>, which is ignored",
            notes: similar.map { ["Did you mean <\($0)>?"] } ?? [])
    }
}
