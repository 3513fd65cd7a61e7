/// The blocks of one page as one Swift file. A block may use the declarations of earlier blocks.
///
/// Each block is a scope within that of the one before, so that a name may be declared again. Imports, extensions and
/// tests, which Swift does not allow in functions, stand outside of it. `{ … }` stands for any statements.
struct DocumentedProgram {
    /// Where a line of a block belongs.
    private enum Place { case file, suite, function }

    private(set) var text = ""

    /// The first lines of extensions. A module can contain each of them once.
    private(set) var extensions: Set<String> = []

    /// - Parameters:
    ///   - imports: The modules that the blocks need beside those that all programs import.
    ///   - number: The number that keeps the names of this program apart from those of others in its module.
    init(_ blocks: [DocumentedBlock], imports: [String], number: Int) {
        var texts: [Place: String] = [:]
        for block in blocks {
            texts[.function, default: ""] += "do {\n"
            var place = Place.function
            var before: Place?
            var depth = 0
            for (index, line) in block.lines.enumerated() {
                if depth == 0 { place = Self.place(of: line, after: place) }
                if depth == 0, line.hasPrefix("extension ") { extensions.insert(String(line.prefix { $0 != "{" })) }
                if place != before {
                    texts[place, default: ""] +=
                        "#sourceLocation(file: \"\(block.file)\", line: \(block.line + index))\n"
                }
                // The program is only compiled, and the statements that a page omits never run.
                texts[place, default: ""] += line.replacing("{ … }", with: "{ fatalError() }") + "\n"
                before = place
                depth += line.count { $0 == "{" } - line.count { $0 == "}" }
            }
        }
        text = """
            import Ashlar
            import AshlarTesting
            import AshlarTestingTraits
            import Foundation
            import Testing
            \(imports.map { "import \($0)\n" }.joined())
            \(texts[.file] ?? "")
            @Suite struct Documented\(number) {
            \(texts[.suite] ?? "")
            }
            func documented\(number)() async throws {
            \(texts[.function] ?? "")
            \(String(repeating: "}\n", count: blocks.count + 1))
            #sourceLocation()
            """
    }

    private static func place(of line: String, after before: Place) -> Place {
        if line.hasPrefix("@Test") || line.hasPrefix("@Suite") || before == .suite && line.hasPrefix("func ") {
            return .suite
        }
        // Extensions cannot refer to a protocol that is declared in a function.
        return ["import ", "extension ", "protocol "].contains(where: line.hasPrefix) ? .file : .function
    }
}
