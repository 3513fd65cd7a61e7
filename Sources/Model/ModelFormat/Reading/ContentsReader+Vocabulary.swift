import DataModel

extension ContentsReader {
    /// Reports everything in an element, and below it, that the format does not have.
    ///
    /// Such things never stop a build: a newer Xcode may write them.
    mutating func checkVocabulary(of element: XMLElement, named title: String, owner: String? = nil) {
        checkAttributes(of: element, named: title)
        for child in element.children { checkVocabulary(ofChild: child, of: element, named: title, owner: owner) }
    }

    /// Reports the attributes of an element that the format does not have.
    mutating func checkAttributes(of element: XMLElement, named title: String) {
        guard let vocabulary = ElementVocabulary.all[element.name], !vocabulary.isIgnored else { return }
        // Attributes with namespace prefixes belong to other tools.
        for attribute in element.attributes
        where !vocabulary.attributes.contains(attribute.name) && !attribute.name.contains(":") {
            report(unknownAttribute: attribute, of: element, title, vocabulary)
        }
    }

    /// Reports everything in a child of an element, and below it, that the format does not have.
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
        } else if child.name.hasSuffix(":include") {
            reportFileOutside("\(title) includes a file by <\(child.name)>", at: child.location)
        }
    }

    /// Reports that a document names a file which it would contain elsewhere.
    mutating func reportFileOutside(_ title: String, at location: SourceLocation) {
        diagnostics.report(
            .noEffect, at: location, "\(title), which is not read",
            notes: ["Nothing outside of 'contents' belongs to the version. Write the content of that file here"])
    }

    private mutating func report(
        unknownAttribute attribute: XMLElement.Attribute, of element: XMLElement, _ title: String,
        _ vocabulary: ElementVocabulary
    ) {
        let removal = Diagnostic.Fix.removing(attribute.name, of: element.location)
        if attribute.name == "renamingIdentifier" {
            report(renamingIdentifier: attribute, of: element, title)
            return
        }
        if let correct = vocabulary.misspelledAttributes[attribute.name] {
            diagnostics.report(
                .misspelledAttribute, at: attribute.location,
                "\(title) says '\(attribute.name)', which has no effect",
                notes: ["The format calls it '\(correct)', and ignores unknown attributes"],
                fixes: [renaming(attribute.name, to: correct, of: element), removal].compactMap(\.self))
            return
        }
        let similar = Spelling.closest(to: attribute.name, among: vocabulary.attributes)
        diagnostics.report(
            .unknownAttribute, at: attribute.location,
            "\(title) has the unknown attribute '\(attribute.name)', which is ignored",
            notes: similar.map { ["Did you mean '\($0)'?"] } ?? [],
            fixes: [similar.flatMap { renaming(attribute.name, to: $0, of: element) }, removal].compactMap(\.self))
    }

    // Other tools write this name, and it is read, so that the correct name changes nothing.
    private mutating func report(
        renamingIdentifier attribute: XMLElement.Attribute, of element: XMLElement, _ title: String
    ) {
        let fix =
            element.attribute("elementID") == nil
            ? Diagnostic.Fix(
                "Write 'elementID' instead of 'renamingIdentifier'", isSafe: true,
                [Diagnostic.Change(element.location, .renameAttribute(attribute.name, to: "elementID"))])
            : Diagnostic.Fix.removing(attribute.name, of: element.location, isSafe: true)
        diagnostics.report(
            .misspelledAttribute, at: attribute.location,
            "\(title) says 'renamingIdentifier', which Core Data does not know",
            notes: ["The format calls it 'elementID'"], fixes: [fix])
    }

    /// Renames an attribute, if the element does not have the correct one besides.
    private func renaming(_ name: String, to correct: String, of element: XMLElement) -> Diagnostic.Fix? {
        guard element.attribute(correct) == nil else { return nil }
        // Correcting any other attribute could change the version, so that stores written with it would no longer
        // match.
        let isSafe = ElementVocabulary.inertAttributes.contains(correct)
        return Diagnostic.Fix(
            "Write '\(correct)' instead of '\(name)'", isSafe: isSafe,
            [Diagnostic.Change(element.location, .renameAttribute(name, to: correct))])
    }

    private mutating func report(
        unknownElement element: XMLElement, in title: String, _ vocabulary: ElementVocabulary
    ) {
        let similar =
            vocabulary.misspelledChildren[element.name]
            ?? Spelling.closest(to: element.name, among: vocabulary.children)
        let renaming = similar.map { name in
            Diagnostic.Fix(
                "Write <\(name)> instead of <\(element.name)>", [Diagnostic.Change(element.location, .rename(to: name))]
            )
        }
        diagnostics.report(
            .unknownElement, at: element.location,
            "\(title) contains the unknown element <\(element.name)>, which is ignored",
            notes: similar.map { ["Did you mean <\($0)>?"] } ?? [],
            fixes: [renaming, .removing(element.location, "Remove the element")].compactMap(\.self))
    }
}
