/// Writes declarations as text: four spaces for each level, and lines of at most 120 columns if a list can be broken.
struct SwiftRenderer {
    private static let lineLength = 120
    private var lines: [String] = []
    private var level = 0

    /// The text of a file, which ends with a line break.
    static func text(of file: SwiftFile) -> String {
        var renderer = SwiftRenderer()
        renderer.lines = file.header.flatMap(SwiftName.commentLines).map { "// " + $0 }
        renderer.lines.append("")
        renderer.lines += file.imports
        for declaration in file.declarations {
            renderer.lines.append("")
            renderer.render(declaration)
        }
        return renderer.lines.joined(separator: "\n") + "\n"
    }

    private mutating func line(_ text: String) {
        lines.append(text.isEmpty ? "" : String(repeating: "    ", count: level) + text)
    }

    private mutating func render(_ declaration: Declaration) {
        switch declaration {
        case .type(let type): render(type)
        case .property(let property): render(property)
        case .function(let function): render(function)
        case .alias(let access, let name, let type): line(words([access.word, "typealias \(name) = \(type)"]))
        case .former(let access, let name, let type):
            line("@available(*, unavailable, renamed: \(SwiftName.literal(type.filter { $0 != "`" })))")
            line(words([access.word, "typealias \(name) = \(type)"]))
        case .conditional(let condition, let declarations):
            line("#if \(condition)")
            for (index, declaration) in declarations.enumerated() {
                if index > 0 { line("") }
                render(declaration)
            }
            line("#endif")
        case .mark(let text): for text in SwiftName.commentLines(text) { line("// MARK: " + text) }
        }
    }

    private func words(_ parts: [String]) -> String { parts.filter { !$0.isEmpty }.joined(separator: " ") }

    private mutating func document(_ documentation: [String]) {
        for text in documentation.flatMap(SwiftName.commentLines) { line(text.isEmpty ? "///" : "/// " + text) }
    }

    // MARK: Types

    private mutating func render(_ type: TypeDeclaration) {
        document(type.documentation)
        let access = type.kind == .extension ? "" : type.access.word
        // A module whose declarations belong to the main actor by default can still use its models in every task.
        var head = words([access, "nonisolated"] + type.modifiers + [type.kind.rawValue, type.name])
        if !type.inherited.isEmpty { head += ": " + type.inherited.joined(separator: ", ") }
        if let condition = type.condition { head += " where " + condition }
        if type.members.isEmpty {
            line(head + " {}")
            return
        }
        line(head + " {")
        level += 1
        for (index, member) in type.members.enumerated() {
            if index > 0, !isCompact(type.members[index - 1], member) { line("") }
            render(member)
        }
        level -= 1
        line("}")
    }

    /// Plain stored properties have no blank lines between them.
    private func isCompact(_ first: Declaration, _ second: Declaration) -> Bool {
        guard case .property(let left) = first, case .property(let right) = second else { return false }
        return left.accessors.isEmpty && right.accessors.isEmpty && left.initialValue.count < 2
            && right.documentation.isEmpty
    }

    /// A comment on a line of its own, for any text.
    private static func comment(_ note: String?) -> [String] {
        note.map { ["// " + SwiftName.commentLines($0).joined(separator: " ")] } ?? []
    }

    // MARK: Members

    /// Returns the visibility of members that begin with `_ashlar`, which only the runtime calls. If they must be
    /// public, they need an import with SPI.
    private static func visibility(_ access: AccessLevel, _ names: String...) -> [String] {
        access == .public && names.contains { $0.hasPrefix("_ashlar") } ? ["@_spi(Generated)"] : []
    }

    private mutating func render(_ property: PropertyDeclaration) {
        document(property.documentation)
        for attribute in Self.visibility(property.access, property.name) + property.attributes { line(attribute) }
        let keyword = property.isConstant ? "let" : "var"
        let head = words([property.access.word] + property.modifiers + [keyword, "\(property.name): \(property.type)"])
        if !property.initialValue.isEmpty {
            line(head + " = " + property.initialValue[0])
            for text in property.initialValue.dropFirst() { line(text) }
        } else if property.accessors.isEmpty {
            line(head)
        } else if property.accessors.count == 1, property.accessors[0].keyword == nil {
            block(head, Self.comment(property.note) + property.accessors[0].body)
        } else {
            line(head + " {")
            level += 1
            for text in Self.comment(property.note) { line(text) }
            for accessor in property.accessors { block(accessor.keyword ?? "get", accessor.body) }
            level -= 1
            line("}")
        }
    }

    private mutating func render(_ function: FunctionDeclaration) {
        document(function.documentation)
        let name = function.name.split(separator: " ").last.map(String.init) ?? ""
        let visibility = Self.visibility(function.access, name, function.parameters.first?.name ?? "")
        for attribute in visibility + function.attributes { line(attribute) }
        let head = words([function.access.word] + function.modifiers + [function.name])
        let parameters = function.parameters.map { parameter in
            "\(parameter.name): \(parameter.type)" + (parameter.defaultValue.map { " = \($0)" } ?? "")
        }
        let tail = function.result.isEmpty ? "" : " " + function.result
        let oneLine = "\(head)(\(parameters.joined(separator: ", ")))\(tail)"
        if oneLine.utf8.count + level * 4 + 2 <= Self.lineLength || parameters.isEmpty {
            block(oneLine, function.body)
            return
        }
        line(head + "(")
        level += 1
        for (index, parameter) in parameters.enumerated() {
            line(parameter + (index == parameters.count - 1 ? "" : ","))
        }
        level -= 1
        line(")\(tail) {")
        body(function.body)
        line("}")
    }

    /// A body of one short line is on the line of its head.
    private mutating func block(_ head: String, _ content: [String]) {
        if content.isEmpty {
            line(head + " {}")
            return
        }
        if content.count == 1, head.utf8.count + content[0].utf8.count + level * 4 + 6 <= Self.lineLength {
            line("\(head) { \(content[0]) }")
            return
        }
        line(head + " {")
        body(content)
        line("}")
    }

    private mutating func body(_ content: [String]) {
        level += 1
        for text in content { line(text) }
        level -= 1
    }
}

extension AccessLevel {
    /// The keyword; empty for the default.
    var word: String { self == .internal ? "" : rawValue }
}
