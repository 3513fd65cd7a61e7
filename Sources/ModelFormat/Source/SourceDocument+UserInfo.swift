import DataModel

extension SourceDocument {
    /// Gives an entry of an element's `userInfo` a value; `userInfo` and the entry are added where they lack.
    func settingEntry(_ key: String, to value: String, of element: Element) -> Replacement? {
        guard let info = element.children.map({ elements[$0] }).first(where: { name(of: $0) == "userInfo" }) else {
            return addingUserInfo(entryText(key, value), to: element)
        }
        let entries = info.children.map { elements[$0] }.filter { name(of: $0) == "entry" }
        // Of several the last counts.
        let entry = entries.last { attribute("key", of: $0).map { self.value(of: $0) } == key }
        if let entry { return setting("value", to: value, of: entry) }
        return adding(Diagnostic.NewElement("entry", ["key": key, "value": value]), to: info)
    }

    private func entryText(_ key: String, _ value: String) -> String {
        "<entry key=\"\(XMLText.escaped(key))\" value=\"\(XMLText.escaped(value))\"/>"
    }

    /// `userInfo` stands behind all other children, as Xcode orders them.
    private func addingUserInfo(_ entry: String, to element: Element) -> Replacement {
        func text(_ lead: String?) -> String {
            guard let lead else { return "<userInfo>\(entry)</userInfo>" }
            return "\(lead)<userInfo>\(lead)\(indentationUnit)\(entry)\(lead)</userInfo>"
        }
        if let last = element.children.last.map({ elements[$0] }) {
            let lead = indentation(of: last.startTag.lowerBound).map { newline + self.text($0) }
            return Replacement(range: last.range.upperBound..<last.range.upperBound, text: text(lead))
        }
        let own = indentation(of: element.startTag.lowerBound).map { newline + self.text($0) }
        let added = text(own.map { $0 + indentationUnit })
        let end = element.startTag.upperBound
        if element.isSelfClosing {
            return Replacement(range: end - 2..<end, text: ">\(added)\(own ?? "")</\(name(of: element))>")
        }
        let isEmpty = element.endTag?.lowerBound == end
        return Replacement(range: end..<end, text: added + (isEmpty ? own ?? "" : ""))
    }
}
