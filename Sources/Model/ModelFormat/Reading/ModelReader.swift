import CXMLReader
import DataModel
import Foundation

/// Reads data models in Xcode's format: `.xcdatamodeld` bundles with all their versions, and bare `.xcdatamodel`
/// folders.
///
/// It only reads; ``DataModel/ModelChecker`` checks whether the model is valid. It continues as far as it can, so that
/// an author sees all problems at once: a result may be incomplete if the diagnostics have errors.
public struct ModelReader: Sendable {
    /// The names of all versions, oldest first, with or without `.xcdatamodel`; nil to derive the order from the names.
    ///
    /// The format does not record the order. See ``ModelReader/ordered(_:bundleName:)`` for how it is derived.
    public var versionOrder: [String]?
    /// The version that the program is built for; nil to take the one that is chosen in Xcode.
    public var currentVersionName: String?
    /// The texts of the files that are read.
    public var texts = ModelTexts()

    /// Makes a reader; both parameters override the bundle's settings.
    public init(versionOrder: [String]? = nil, currentVersionName: String? = nil) {
        self.versionOrder = versionOrder
        self.currentVersionName = currentVersionName
    }

    /// Reads the model at a path, which may also be that of a `contents` file.
    ///
    /// All problems are diagnostics: an unreadable or malformed file, a binary model from before Xcode 4, an empty
    /// bundle, several versions without a current one, and content that the format does not have. If there is no
    /// version, the model is nil.
    public func read(atPath path: String) -> (model: ModelBundle?, diagnostics: Diagnostics) {
        read(atPath: path, within: [])
    }

    /// Reads a model that is merged into others, or that is not.
    func read(atPath path: String, within outer: [String]) -> (model: ModelBundle?, diagnostics: Diagnostics) {
        var diagnostics = Diagnostics()
        let path = ModelFiles.normalized(path)
        switch ModelFiles.kind(ofModelAtPath: path) {
        case .bundle: return readBundle(atPath: path, within: outer)
        case .version:
            let name = ModelFiles.name(ofPath: path)
            var entities = ReadEntities()
            guard let model = readVersion(atPath: path, named: name, after: &entities, reportingTo: &diagnostics)
            else {
                return (nil, diagnostics)
            }
            let location = SourceLocation(file: path)
            let bundle = ModelBundle(name: name, versions: [model], currentVersionName: name, location: location)
            return (bundle, diagnostics)
        case .contents:
            let folder = ModelFiles.folder(ofPath: path)
            var reader = ModelReader()
            reader.texts = texts
            return reader.read(atPath: folder.isEmpty ? "." : folder)
        case .missing:
            diagnostics.report(
                .modelNotFound, at: SourceLocation(file: path), "There is no data model at this path",
                notes: ["Give the path of an .xcdatamodeld bundle or an .xcdatamodel folder"])
        case .other:
            diagnostics.report(
                .notAModel, at: SourceLocation(file: path), "This is not a data model",
                notes: ["Give the path of an .xcdatamodeld bundle or an .xcdatamodel folder"])
        }
        return (nil, diagnostics)
    }

    /// Reads one version from the bytes of its `contents` file; the path is only for the diagnostics.
    public static func read(
        contents: [UInt8], named name: String, file: String
    ) -> (model: Model?, diagnostics: Diagnostics) {
        var entities = ReadEntities()
        return read(contents: contents, named: name, file: file, after: &entities)
    }

    private static func read(
        contents: [UInt8], named name: String, file: String, after entities: inout ReadEntities
    ) -> (model: Model?, diagnostics: Diagnostics) {
        var diagnostics = Diagnostics()
        if contents.starts(with: Array("bplist00".utf8)) {
            report(binaryModel: name, at: SourceLocation(file: file), to: &diagnostics)
            return (nil, diagnostics)
        }
        guard let root = XMLElement(parsing: contents, file: file, reportingTo: &diagnostics) else {
            return (nil, diagnostics)
        }
        var reader = ContentsReader(file: file, after: entities)
        let model = reader.readModel(named: name, from: root)
        entities = reader.entities
        diagnostics.report(contentsOf: reader.diagnostics)
        return (model, diagnostics)
    }

    /// Reads the version in a folder; entities that are written as in the version before are reused.
    func readVersion(
        atPath path: String, named name: String, after entities: inout ReadEntities,
        reportingTo diagnostics: inout Diagnostics
    ) -> Model? {
        let file = path + "/contents"
        guard texts.hasFile(file) else {
            if ModelFiles.isBinaryVersion(atPath: path) {
                Self.report(binaryModel: name, at: SourceLocation(file: path), to: &diagnostics)
            } else {
                diagnostics.report(
                    .unreadableFile, at: SourceLocation(file: path), "Version '\(name)' has no file 'contents'",
                    notes: ["Restore the file, or remove the folder"])
            }
            return nil
        }
        guard let bytes = texts.bytes(ofFile: file, reportingTo: &diagnostics) else { return nil }
        let (model, found) =
            texts.known?.version(inFile: file, bytes) {
                Self.read(contents: bytes, named: name, file: file, after: &entities)
            } ?? Self.read(contents: bytes, named: name, file: file, after: &entities)
        diagnostics.report(contentsOf: found)
        return model
    }

    private static func report(binaryModel name: String, at location: SourceLocation, to diagnostics: inout Diagnostics)
    {
        diagnostics.report(
            .binaryModel, at: location, "Version '\(name)' is in the binary format from before Xcode 4",
            notes: ["Open the model in Xcode, choose 'Xcode 4.1' or later under Tools Version, and save it"])
    }
}
