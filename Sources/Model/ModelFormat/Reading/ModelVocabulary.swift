/// The names that the format allows, for tools that help to write it.
package enum ModelVocabulary {
    /// All elements.
    package static var names: [String] { ElementVocabulary.all.keys.sorted() }

    /// The elements that can be in an element.
    package static func children(of element: String) -> Set<String> { ElementVocabulary.all[element]?.children ?? [] }

    /// The attributes that an element can have.
    package static func attributes(of element: String) -> Set<String> {
        ElementVocabulary.all[element]?.attributes ?? []
    }
}
