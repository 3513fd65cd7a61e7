import Foundation

/// The compiler, called with the modules that the tests were built with.
enum Compiler {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The folder of the built modules; nil where another build system puts them elsewhere.
    static var modules: URL? {
        let products = (Bundle.main.executableURL ?? root).resolvingSymlinksInPath().deletingLastPathComponent()
        let modules = products.appendingPathComponent("Modules")
        let module = modules.appendingPathComponent("Ashlar.swiftmodule")
        return FileManager.default.fileExists(atPath: module.path) ? modules : nil
    }

    /// What the compiler says of files that make up one module; empty when it has no complaint.
    static func complaints(about files: [URL], options: [String] = []) throws -> String {
        guard let modules else {
            print("There are no built modules, as with another build system: not compiled")
            return ""
        }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            [
                "swiftc", "-emit-sil", "-wmo", "-o", "/dev/null", "-swift-version", "6", "-parse-as-library",
                "-module-name", "Program", "-I", modules.path, "-Xcc",
                "-fmodule-map-file=\(root.appendingPathComponent("Sources/CSQLite/module.modulemap").path)",
                "-I", root.appendingPathComponent("Sources/CPrefetch/include").path,
                "-I", root.appendingPathComponent("Sources/CSQLiteSettings/include").path,
            ] + options + files.map(\.path)
        let pipe = Pipe()
        process.standardOutput = FileHandle.nullDevice
        process.standardError = pipe
        try process.run()
        let bytes = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: bytes, as: UTF8.self)
    }
}
