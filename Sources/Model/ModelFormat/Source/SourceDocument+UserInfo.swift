import DataModel

extension SourceDocument {
    /// Gives an entry of an element's `userInfo` another value; nil if there is none with the key.
    func settingEntry(_ key: String, to value: String, of element: Element) -> Replacement? {
        guard let info = userInfo(of: element) else { return nil }
        let entries = elements[info].children.map { elements[$0] }.filter { name(of: $0) == "entry" }
        // Of several the last counts.
        let entry = entries.last { attribute("key", of: $0).map { self.value(of: $0) } == key }
        return entry.map { setting("value", to: value, of: $0) }
    }

    /// A new entry with the element that it becomes a child of: `userInfo`, or the element if that has none.
    func newEntry(
        _ key: String, _ value: String, of index: Int
    ) -> (element: Int, child: Diagnostic.NewElement) {
        let entry = Diagnostic.NewElement("entry", ["key": key, "value": value])
        if let info = userInfo(of: elements[index]) { return (info, entry) }
        return (index, Diagnostic.NewElement("userInfo", [], children: [entry]))
    }

    private func userInfo(of element: Element) -> Int? {
        element.children.first { name(of: elements[$0]) == "userInfo" }
    }
}
