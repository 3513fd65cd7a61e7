import Foundation
import Testing

/// Generated code in a module with `.defaultIsolation(MainActor.self)`.
@Suite(Compiler.condition) struct DefaultIsolationTests {
    @Test func generatedCodeBelongsToNoActor() throws {
        let generated = Compiler.root.appendingPathComponent("Tests/GeneratedCodeTests/Generated")
        let files = ["Zoo+Entities1.swift", "Zoo+Model.swift"].map { generated.appendingPathComponent($0) }
        let program = Compiler.root.appendingPathComponent("Tests/CompilationTests/Programs/AnyTask.swift")
        let complaints = try Compiler.complaints(
            about: files + [program], options: ["-default-isolation", "MainActor"])
        #expect(complaints.isEmpty)
    }
}
