import Foundation
import Testing

/// A program's own names keep their meaning beside `import Ashlar`.
@Suite(Compiler.condition) struct ProgramNamesTests {
    /// A type that the library added to a standard type would be the witness of every associated type of its name.
    @Test func associatedTypesOfStandardTypesAreThoseOfTheProgram() throws {
        let names = ["Sum", "Average", "Count", "Interval", "Number", "Values", "Value", "Model", "Columns"]
        var lines = ["import Ashlar", "import Foundation", "struct Own {}"]
        for name in names + ["Wrapped"] {
            lines.append("protocol Has\(name) { associatedtype \(name); func make\(name)() -> \(name) }")
        }
        for type in ["Int", "Int16", "Int32", "Int64", "Double", "Float", "String", "Date", "Decimal", "Optional"] {
            // Every optional has a type of the name `Wrapped`.
            for name in names + (type == "Optional" ? [] : ["Wrapped"]) {
                let condition = type == "Optional" ? " where Wrapped == Int" : ""
                lines.append("extension \(type): Has\(name)\(condition) { func make\(name)() -> Own { Own() } }")
            }
        }
        let folder = try GenerationFolder()
        let program = try folder.write(lines.joined(separator: "\n"), to: "Program.swift")
        let complaints = try Compiler.complaints(about: [program])
        #expect(!complaints.contains("error:"), "\(complaints.prefix(2000))")
    }

    @Test func theLibraryAddsNoTypesToStandardTypes() throws {
        let lines = try String(contentsOf: Compiler.root.appendingPathComponent("API/Ashlar.txt"), encoding: .utf8)
            .split(separator: "\n").map(String.init)
        let kinds = #"(?:@\w+ |final |open )*(?:enum|struct|class|actor|protocol|typealias) "#
        let declared = try Regex("^\(kinds)(\\w+)", as: (Substring, Substring).self)
        let nested = try Regex("^(\\w+)[\\w.]*: \(kinds)", as: (Substring, Substring).self)
        let own = Set(lines.compactMap { $0.firstMatch(of: declared)?.output.1 })
        let owners = Set(lines.compactMap { $0.firstMatch(of: nested)?.output.1 })
        #expect(own.count > 100 && owners.count > 10)
        // The types within this one are the library's own.
        #expect(owners.subtracting(own) == ["PredicateExpressions"])
    }
}
