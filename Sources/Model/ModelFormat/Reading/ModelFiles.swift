import CXMLReader
import DataModel
import FileErrors
import Foundation

/// The files that a model consists of.
public enum ModelFiles {
    /// The kind of file at a path.
    enum Kind {
        case bundle, version, contents, other, missing
    }

    /// All files that are inputs of the model at a path, sorted: every version's `contents` and the
    /// `.xccurrentversion`. In the binary format from before Xcode 4, a version has `elements` instead. Bundles that
    /// are merged into the model are not included.
    ///
    /// Folders within versions are left out, as ``ModelReader`` leaves them out. The result is empty if there is no
    /// model at the path.
    public static func inputs(ofModelAtPath path: String) -> [String] {
        let path = normalized(path)
        let candidates: [String]
        switch kind(ofModelAtPath: path) {
        case .bundle:
            let folders = versionNames(inBundle: path).map { "\(path)/\($0).xcdatamodel" }
            candidates = ["\(path)/.xccurrentversion"] + folders.flatMap { ["\($0)/contents", "\($0)/elements"] }
        case .version: candidates = ["\(path)/contents", "\(path)/elements"]
        case .contents: candidates = [path]
        case .other, .missing: candidates = []
        }
        return candidates.filter { FileManager.default.fileExists(atPath: $0) }.sorted()
    }

    static func kind(ofModelAtPath path: String) -> Kind {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else { return .missing }
        if !isDirectory.boolValue { return path.split(separator: "/").last == "contents" ? .contents : .other }
        if path.hasSuffix(".xcdatamodeld") { return .bundle }
        return path.hasSuffix(".xcdatamodel") ? .version : .other
    }

    /// The names of the versions directly in a bundle, in no particular order.
    package static func versionNames(inBundle path: String) -> [String] {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return entries.filter { !$0.hasPrefix(".") && $0.hasSuffix(".xcdatamodel") }.map(withoutExtension)
    }

    /// Returns whether a version exists in the binary format only.
    static func isBinaryVersion(atPath path: String) -> Bool {
        !FileManager.default.fileExists(atPath: path + "/contents")
            && FileManager.default.fileExists(atPath: path + "/elements")
    }

    /// The bytes of a file; if there are none, the reason is reported.
    static func bytes(ofFile file: String, reportingTo diagnostics: inout Diagnostics) -> [UInt8]? {
        let location = SourceLocation(file: file)
        do {
            // One byte more than the limit, so that a larger file is detected.
            return try [UInt8](RegularFile.bytes(atPath: file, upToCount: Int(CXML_MAXIMUM_SIZE) + 1))
        } catch {
            diagnostics.report(
                .unreadableFile, at: location, "The file cannot be read: \(FileErrorReason.text(error))")
            return nil
        }
    }

    /// The path without slashes at its end.
    package static func normalized(_ path: String) -> String {
        var path = path
        while path.count > 1 && path.hasSuffix("/") { path.removeLast() }
        return path
    }

    /// The absolute path without `.` and `..`, for comparisons.
    package static func standardized(_ path: String) -> String { URL(fileURLWithPath: path).standardizedFileURL.path }

    /// The folder that a path is in.
    package static func folder(ofPath path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "" }
        return String(path[..<slash])
    }

    /// The name of a model: the last part of its path without the extension.
    package static func name(ofPath path: String) -> String {
        withoutExtension(path.split(separator: "/").last.map(String.init) ?? path)
    }

    /// The name of a version or a bundle from that of its folder.
    static func withoutExtension(_ name: String) -> String {
        for suffix in [".xcdatamodeld", ".xcdatamodel"] where name.hasSuffix(suffix) {
            return String(name.dropLast(suffix.count))
        }
        return name
    }
}
