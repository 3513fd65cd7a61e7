/// A part of a page.
///
/// Text never becomes markup: the names of elements and attributes are literals of the program, and ``HTMLText``
/// escapes all other text, except that of pictures, which the library escapes.
struct HTML: Sendable {
    /// The part as it is sent.
    private(set) var markup: String

    private init(markup: String) { self.markup = markup }

    static let none = HTML(markup: "")

    /// An attribute of an element; left out where its value is nil.
    struct Attribute {
        let name: StaticString
        let value: String?

        init(_ name: StaticString, _ value: String?) {
            self.name = name
            self.value = value
        }

        /// An attribute without a value, which is there or not.
        init(_ name: StaticString, isThere: Bool = true) {
            self.name = name
            value = isThere ? "" : nil
        }
    }

    /// Text, whose control characters are shown as signs.
    static func text(_ text: String) -> HTML { HTML(markup: HTMLText.shown(text)) }

    /// Text of the store. Its direction may differ from the page's, and does not affect the text around it.
    static func foreign(_ text: String) -> HTML { element("bdi", [], [.text(text)]) }

    /// An element with its content.
    static func element(_ name: StaticString, _ attributes: [Attribute] = [], _ content: [HTML]) -> HTML {
        var markup = start(name, attributes)
        for part in content { markup += part.markup }
        return HTML(markup: markup + "</\(name)>")
    }

    /// An element with text in it.
    static func element(_ name: StaticString, _ attributes: [Attribute] = [], _ text: String) -> HTML {
        element(name, attributes, [.text(text)])
    }

    /// An element that cannot have anything in it.
    static func void(_ name: StaticString, _ attributes: [Attribute]) -> HTML {
        HTML(markup: start(name, attributes))
    }

    /// The text of a `textarea`, whose first line break would be left out.
    static func editedText(_ attributes: [Attribute], _ text: String) -> HTML {
        HTML(markup: start("textarea", attributes) + "\n" + HTMLText.value(text) + "</textarea>")
    }

    /// A picture of the model. The library drew it, and escaped its text.
    static func picture(_ svg: String) -> HTML { HTML(markup: svg) }

    static func joined(_ parts: [HTML]) -> HTML { HTML(markup: parts.map(\.markup).joined()) }

    /// A whole page.
    static func document(_ head: [HTML], _ body: [HTML]) -> HTML {
        let page = element("html", [Attribute("lang", "en")], [element("head", [], head), element("body", [], body)])
        return HTML(markup: "<!doctype html>\n" + page.markup + "\n")
    }

    private static func start(_ name: StaticString, _ attributes: [Attribute]) -> String {
        var markup = "<\(name)"
        for attribute in attributes {
            guard let value = attribute.value else { continue }
            markup += " \(attribute.name)=\"\(HTMLText.value(value))\""
        }
        return markup + ">"
    }
}
