import DataModel
@_spi(Studio) import ModelAuthoring

/// The findings about the model, with their fixes.
extension ModelView {
    /// The findings about an item that no field shows.
    func findings(of item: ModelItem, besides fields: [ModelField]) -> [HTML] {
        let names = Set(fields.map(\.name))
        return snapshot.findings(of: item).filter { finding in finding.field.map { !names.contains($0) } ?? true }
            .map(self.finding)
    }

    /// A finding with a button for each of its fixes.
    func finding(_ finding: ModelFinding) -> HTML {
        let titles = isEditable ? [] : finding.fixes.map(\.title)
        let sentences = [finding.message] + finding.notes + titles
        let buttons = isEditable ? finding.choices.map(button) : []
        return .element(
            "div", [.init("class", "finding \(finding.severity.rawValue)")],
            [
                .text("\(finding.severity.rawValue): "),
                .foreign(sentences.map { $0 + "." }.joined(separator: " ")),
            ] + buttons)
    }

    /// A button of the form for fixes, which is beside the others, so that Enter in a field does not press it.
    private func button(_ choice: ChosenFix) -> HTML {
        let fields = [("code", choice.code), ("message", choice.message), ("title", choice.title)]
        return .element(
            "button",
            [
                .init("class", "fix"), .init("form", "fixes"), .init("name", "fix"),
                .init("value", fields.map { "\($0)=\(Address.encoded($1))" }.joined(separator: "&")),
                .init("aria-label", "Fix: \(choice.title)"),
            ], [.text("Fix: "), .foreign(choice.title)])
    }

    /// The form of the buttons for fixes.
    var fixes: HTML {
        isEditable
            ? .element(
                "form", [.init("method", "post"), .init("action", "/model-fix"), .init("id", "fixes")],
                [
                    .hidden("form-token", studio.formToken.text), .hidden("entity", place.box),
                    .hidden("property", place.property),
                ]) : .none
    }
}
