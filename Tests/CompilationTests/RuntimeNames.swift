import Foundation

/// The names that the runtime has, read from its sources, so that none is forgotten when it gets another.
struct RuntimeNames {
    /// Types, protocols, associated types and type parameters.
    var types: Set<String> = []
    /// Functions, properties and cases.
    var members: Set<String> = []

    init() throws {
        let sources = Compiler.root.appendingPathComponent("Sources/Runtime")
        let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
        for case let file as URL in files ?? .init() where file.pathExtension == "swift" {
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") { read(line) }
        }
    }

    private mutating func read(_ line: Substring) {
        if line.contains(/^ *\/\//) { return }
        if let match = line.firstMatch(of: /associatedtype (\w+)/) { types.insert(String(match.1)) }
        // Generic parameters of internal functions cannot conflict with generated code; those of internal types can.
        let isPublic = line.contains(/\bpublic\b/)
        guard isPublic || line.contains(/^ *(package |final )*(struct|class|enum|extension)\b/) else { return }
        if let match = line.firstMatch(of: /\b(?:func|init|struct|class|enum|typealias)\b[^<(]*<([^>]+)>/) {
            for parameter in match.1.split(separator: ",") {
                guard let name = parameter.firstMatch(of: /^ *(?:let |each )?(\w+)/) else { continue }
                types.insert(String(name.1))
            }
        }
        guard isPublic else { return }
        if let match = line.firstMatch(of: /\b(?:struct|class|enum|protocol|actor|typealias) (\w+)/), match.1 != "var",
            match.1 != "func", match.1 != "subscript"
        {
            types.insert(String(match.1))
        } else if let match = line.firstMatch(of: /\b(?:func|var|let|case) `?(\w+)/) {
            members.insert(String(match.1))
        }
    }
}
