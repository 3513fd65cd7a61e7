import Testing

@testable import SwiftGeneration

@Suite struct SwiftRendererTests {
    private func text(_ declaration: Declaration) -> String {
        SwiftRenderer.text(of: SwiftFile(header: ["H"], imports: [], declarations: [declaration]))
    }

    @Test func longParameterListsGoOverSeveralLines() {
        let parameters = (1...8).map { Parameter(name: "parameter\($0)", type: "String", defaultValue: "\"\"") }
        let function = FunctionDeclaration(name: "func f", parameters: parameters, result: "-> Int", body: ["1"])
        let lines = text(.function(function)).split(separator: "\n")
        #expect(lines[1] == "func f(")
        #expect(lines[2] == "    parameter1: String = \"\",")
        #expect(lines[9] == "    parameter8: String = \"\"")
        #expect(lines[10] == ") -> Int {")
        #expect(lines.allSatisfy { $0.utf8.count <= 120 })
    }

    @Test func shortBodiesStandBesideTheirHeads() {
        let property = PropertyDeclaration(
            access: .public, name: "name", type: "Int", accessors: [Accessor(body: ["1"])])
        #expect(text(.property(property)) == "// H\n\n\npublic var name: Int { 1 }\n")
    }

    @Test func membersAreIndentedAndDocumented() {
        let type = TypeDeclaration(
            documentation: ["One.", "", "Two."], access: .package, modifiers: ["final"], kind: .class, name: "A",
            inherited: ["B", "C"],
            members: [
                .property(PropertyDeclaration(name: "x", type: "Int")), .function(FunctionDeclaration(name: "init")),
            ])
        #expect(
            text(.type(type)) == """
                // H


                /// One.
                ///
                /// Two.
                package nonisolated final class A: B, C {
                    var x: Int

                    init() {}
                }

                """)
    }

    @Test func extensionsHaveNoAccessLevel() {
        let type = TypeDeclaration(access: .public, kind: .extension, name: "A", condition: "B == C")
        #expect(text(.type(type)).hasSuffix("\nnonisolated extension A where B == C {}\n"))
    }
}
