import DataModel
import ModelFormat

/// An element of a model's file, as it is written. Content that the format does not have is kept too.
package struct ModelTree: Sendable, Hashable {
    /// An attribute, with its value after references are replaced.
    package struct Attribute: Sendable, Hashable {
        package var name: String
        package var value: String

        package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
    }

    package var name: String
    /// In the order of the file.
    package var attributes: [Attribute]
    package var children: [ModelTree]
    /// The element's own text as it is written, if it is more than space.
    package var text = ""
    /// The text before the element that is not an element: comments and instructions, as they are written.
    package var comments: [String] = []
    /// The same before the element's end.
    package var endComments: [String] = []

    /// Makes an element.
    package init(_ name: String, _ attributes: [Attribute] = [], children: [ModelTree] = []) {
        self.name = name
        self.attributes = attributes
        self.children = children
    }

    /// The value of an attribute; setting nil removes it.
    package subscript(name: String) -> String? {
        get { attributes.first { $0.name == name }?.value }
        set {
            let position = attributes.firstIndex { $0.name == name }
            switch (position, newValue) {
            case (let position?, let value?): attributes[position].value = value
            case (let position?, nil): attributes.remove(at: position)
            case (nil, let value?): attributes.append(Attribute(name, value))
            case (nil, nil): break
            }
        }
    }

    /// The element as a program reads it: without comments, and with its attributes by name.
    package var meaning: ModelTree {
        var result = self
        result.comments = []
        result.endComments = []
        result.attributes.sort { $0.name < $1.name }
        result.children = children.map(\.meaning)
        return result
    }
}
