@_spi(Studio) import StoreBrowsing

/// A page of the program.
struct Page: Sendable {
    let markup: String

    /// - Parameter undoFields: The hidden fields for the page that undo and redo lead back to.
    init(_ title: String, of site: some Site, style: String? = nil, undoFields: [HTML] = [], _ content: [HTML]) {
        let head: [HTML] = [
            .void("meta", [.init("charset", "utf-8")]),
            .void("meta", [.init("name", "viewport"), .init("content", "width=device-width, initial-scale=1")]),
            .void("meta", [.init("name", "color-scheme"), .init("content", "light dark")]),
            .element("title", [], "\(title) – Ashlar Studio"),
            .void("link", [.init("rel", "icon"), .init("href", "/icon.svg"), .init("type", "image/svg+xml")]),
            .void("link", [.init("rel", "stylesheet"), .init("href", "/style.css")]),
            .element("script", [.init("src", "/script.js"), .init("defer")], []),
        ]
        let navigation = HTML.element(
            "nav", [.init("aria-label", "Pages")], site.links.map { .link(Address($0.path), $0.title) })
        let header = HTML.element(
            "header", [],
            [
                .element("a", [.init("class", "skip"), .init("href", "#content")], "Skip to the content"),
                .element("span", [.init("class", "store")], [.foreign(site.headline)]),
                navigation,
                .element(
                    "span", [.init("class", site.isWritable ? "mode writable" : "mode")],
                    site.isWritable ? "writable" : "read-only"),
                site.undoForms(undoFields),
            ])
        markup =
            HTML.document(
                head,
                [
                    header,
                    .element(
                        "main", [.init("id", "content"), .init("tabindex", "-1"), .init("class", style)],
                        [.element("h1", [], [.foreign(title)]), site.noticeParagraph] + content),
                ]
            ).markup
    }
}

extension HTML {
    static func link(_ address: Address, _ text: String) -> HTML {
        element("a", [Attribute("href", address.text)], [.foreign(text)])
    }

    static func link(_ address: Address, _ text: String, relation: String) -> HTML {
        element("a", [Attribute("href", address.text), Attribute("rel", relation)], text)
    }

    static func paragraph(_ text: String) -> HTML { element("p", [], text) }

    static func note(_ text: String) -> HTML { element("p", [Attribute("class", "note")], text) }

    /// A table that scrolls within the page, which a keyboard reaches.
    static func table(_ label: String, _ head: [HTML], _ rows: [HTML]) -> HTML {
        element(
            "div",
            [
                Attribute("class", "scroll"), Attribute("tabindex", "0"), Attribute("role", "region"),
                Attribute("aria-label", label),
            ],
            [
                element(
                    "table", [], [element("thead", [], [element("tr", [], head)]), element("tbody", [], rows)])
            ])
    }

    static func heading(_ text: String) -> HTML { element("th", [Attribute("scope", "col")], text) }

    static func hidden(_ name: String, _ value: String?) -> HTML {
        guard let value else { return .none }
        return void("input", [Attribute("type", "hidden"), Attribute("name", name), Attribute("value", value)])
    }

    static func value(_ value: BrowsedValue) -> HTML {
        switch value {
        case .null: element("span", [Attribute("class", "null")], "nil")
        case .reference(let reference): link(.object(reference.entity, reference.number), reference.text)
        case .number, .date: element("span", [Attribute("class", "number")], value.text)
        case .unexpected:
            element(
                "span", [Attribute("class", "unexpected"), Attribute("title", "Not a value of the attribute's type")],
                [.foreign(value.text)])
        case .text(let text, let length):
            length == nil
                ? foreign(text)
                : joined([foreign(text), element("span", [Attribute("class", "null")], "… \(length ?? 0) characters")])
        case .boolean, .uuid, .bytes: foreign(value.text)
        }
    }
}

extension Address {
    static func object(_ entity: String, _ number: Int64) -> Address {
        Address("/object", [("entity", entity), ("id", "\(number)")])
    }

    static func rows(_ entity: String) -> Address { Address("/rows", [("entity", entity)]) }
}

extension Studio {
    /// A part of a page whose objects are marked when another program changes them.
    ///
    /// Elements with the attributes of ``live(_:_:)`` are the objects.
    func live(_ entity: String, _ content: [HTML]) -> HTML {
        .element(
            "div", [.init("data-live", entity)],
            [.element("p", [.init("class", "changes"), .init("role", "status"), .init("aria-live", "polite")], [])]
                + content)
    }

    static func live(_ object: BrowsedObject) -> [HTML.Attribute] { live(object.number, object.version) }

    static func live(_ number: Int64, _ version: Int64) -> [HTML.Attribute] {
        [.init("data-number", "\(number)"), .init("data-version", "\(version)")]
    }
}
