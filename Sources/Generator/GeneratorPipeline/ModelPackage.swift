import Foundation

/// The package that a program is called in, whose models it finds by their names.
package struct ModelPackage {
    package let url: URL

    /// The package that a folder is in, whose manifest is the nearest; nil where there is none.
    package init?(containing folder: URL) {
        var folder = folder.standardizedFileURL
        while !FileManager.default.fileExists(atPath: folder.appending(path: "Package.swift").path) {
            if folder.pathComponents.count < 2 { return nil }
            folder = folder.deletingLastPathComponent()
        }
        url = folder
    }

    /// The package that the tool is called in.
    package static var current: ModelPackage? {
        ModelPackage(containing: URL(fileURLWithPath: FileManager.default.currentDirectoryPath))
    }

    package var manifest: URL { url.appending(path: "Package.swift") }

    /// The paths of the models in the package that have a name, in order.
    package func models(named name: String) -> [String] {
        models.filter { ModelPlan.name(ofModelAtPath: $0) == name }
    }

    /// The paths of all models in the package, in order.
    package var models: [String] {
        let files = FileManager.default.enumerator(
            at: url, includingPropertiesForKeys: nil, options: [.skipsHiddenFiles])
        var found: [String] = []
        while let file = files?.nextObject() as? URL {
            switch file.pathExtension {
            case "xcdatamodeld", "xcdatamodel":
                files?.skipDescendants()
                found.append(Self.relativePath(file))
            case "xcassets", "xcodeproj": files?.skipDescendants()
            default: break
            }
        }
        return found.sorted()
    }

    /// The path from where the tool is called, if the file is below that.
    package static func relativePath(_ file: URL) -> String {
        let folder = FileManager.default.currentDirectoryPath
        let start = folder.hasSuffix("/") ? folder : folder + "/"
        return file.path.hasPrefix(start) ? String(file.path.dropFirst(start.count)) : file.path
    }
}
