public import DataModel
import Foundation

/// A mapping model of Core Data. Only the names of the versions that it migrates from and to are read.
public struct MappingModel: Sendable, Hashable {
    /// Its name without `.xcmappingmodel`.
    public var name: String
    public var path: String
    /// The version that it migrates from; nil if its file does not contain it.
    public var sourceName: String?
    public var destinationName: String?
    /// The name of the versions' bundle; nil if its file does not contain it.
    private var bundleName: String?

    /// The mapping models of a bundle, by name: those in it, and those in the folder that it is in and below.
    ///
    /// A mapping model beside the bundle that does not name its model counts as one of this model only if there is no
    /// other model beside it.
    public static func all(of bundle: ModelBundle) -> [MappingModel] {
        let path = bundle.location.file
        guard path.hasSuffix(".xcdatamodeld") else { return [] }
        let (beside, models) = search(surroundings(ofPath: path))
        let own = search(path).mappings.map(MappingModel.init(at:))
        let related = beside.map(MappingModel.init(at:)).filter { mapping in
            mapping.bundleName.map { $0 == bundle.name } ?? (models.count == 1)
        }
        return (own + related).sorted { ($0.name, $0.path) < ($1.name, $1.path) }
    }

    /// The files and bundles beside a bundle on which ``all(of:)`` depends, sorted.
    package static func dependencies(besideModelAtPath path: String) -> [String] {
        let (mappings, models) = search(surroundings(ofPath: ModelFiles.normalized(path)))
        return (mappings.map(file(ofMappingModelAtPath:)) + models).sorted()
    }

    private static func surroundings(ofPath path: String) -> String {
        let folder = ModelFiles.folder(ofPath: path)
        return folder.isEmpty ? "." : folder
    }

    private static func file(ofMappingModelAtPath path: String) -> String { path + "/xcmapping.xml" }

    /// More folders than a program's sources have: a bundle may lie beside anything.
    private static let maximumFolders = 2000

    private static func search(_ folder: String) -> (mappings: [String], models: [String]) {
        var mappings: [String] = []
        var models: [String] = []
        var folders = [folder]
        var next = 0
        while next < min(folders.count, maximumFolders) {
            let folder = folders[next]
            next += 1
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            for name in names.sorted() where !name.hasPrefix(".") {
                let path = "\(folder)/\(name)"
                if name.hasSuffix(".xcmappingmodel") {
                    mappings.append(path)
                } else if name.hasSuffix(".xcdatamodeld") {
                    models.append(path)
                } else if !name.contains("."), isFolder(path) {
                    folders.append(path)
                }
            }
        }
        return (mappings, models)
    }

    private static func isFolder(_ path: String) -> Bool {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return attributes?[.type] as? FileAttributeType == .typeDirectory
    }

    private init(at path: String) {
        self.path = path
        let last = path.split(separator: "/").last.map(String.init) ?? path
        name = String(last.dropLast(".xcmappingmodel".count))
        var ignored = Diagnostics()
        let file = Self.file(ofMappingModelAtPath: path)
        guard FileManager.default.fileExists(atPath: file),
            let bytes = ModelFiles.bytes(ofFile: file, reportingTo: &ignored),
            let root = XMLElement(parsing: bytes, file: file, reportingTo: &ignored)
        else { return }
        let attributes = root.children(named: "object").filter { $0["type"] == "XDDEVMAPPINGMODEL" }
            .flatMap { $0.children(named: "attribute") }
        func parts(ofPath name: String) -> [String] {
            let text = attributes.first { $0["name"] == name }?.text ?? ""
            return text.trimmingCharacters(in: .whitespacesAndNewlines).split(separator: "/").map(String.init)
        }
        let (source, destination) = (parts(ofPath: "sourcemodelpath"), parts(ofPath: "destinationmodelpath"))
        sourceName = source.last.map(ModelFiles.withoutExtension)
        destinationName = destination.last.map(ModelFiles.withoutExtension)
        bundleName = (destination.dropLast().last ?? source.dropLast().last).flatMap { name in
            name.hasSuffix(".xcdatamodeld") ? ModelFiles.withoutExtension(name) : nil
        }
    }
}
