import DataModel
import Foundation

/// Makes models and versions without Xcode.
public enum ModelBundleEditor {
    /// Writes the bundle of a new model with one version, and returns its path.
    ///
    /// - Parameter contents: The content of the version's file; if nil, the version has one entity to begin with.
    /// - Throws: ``ModelEditingError`` if the model exists already, or its name is invalid; an error of the file system
    ///   if the files cannot be written.
    public static func makeModel(
        named name: String, inFolder folder: String, contents: String? = nil
    ) throws -> String {
        try checkName(name)
        let bundle = "\(folder)/\(name).xcdatamodeld"
        if FileManager.default.fileExists(atPath: bundle) { throw ModelEditingError.exists(bundle) }
        let version = "\(bundle)/\(name).xcdatamodel"
        try FileManager.default.createDirectory(atPath: version, withIntermediateDirectories: true)
        try write(contents ?? firstVersion, to: version + "/contents")
        try write(currentVersionList(name), to: bundle + "/.xccurrentversion")
        return bundle
    }

    /// Copies a bundle's current version to a new one and makes that the current one, as Xcode's menu does. Returns the
    /// new version's name: after `Feed` comes `Feed 2`, after `Feed 2` comes `Feed 3`.
    ///
    /// - Parameters:
    ///   - wanted: The new version's name in place of a number. It must sort after those of all other versions, unless
    ///     the reader has an order of its own.
    ///   - reader: The reader of the bundle, with the settings that the build uses.
    ///   - isTrial: Whether nothing is written.
    /// - Throws: ``ModelEditingError`` if there is no bundle with a current version at the path, or the name is not
    ///   valid for the new one; an error of the file system if the files cannot be written.
    public static func addVersion(
        toBundleAtPath path: String, named wanted: String? = nil, reader: ModelReader = ModelReader(),
        isTrial: Bool = false
    ) throws -> String {
        let path = ModelFiles.normalized(path)
        guard case .bundle = ModelFiles.kind(ofModelAtPath: path) else { throw ModelEditingError.noBundle(path) }
        guard let model = reader.read(atPath: path).model, let current = model.currentVersion else {
            throw ModelEditingError.noCurrentVersion(path)
        }
        let names = ModelFiles.versionNames(inBundle: path)
        let name = wanted ?? nextName(after: current.name, beside: names)
        if wanted != nil {
            try checkName(name)
            if names.contains(where: { $0.lowercased() == name.lowercased() }) {
                throw ModelEditingError.exists("\(path)/\(name).xcdatamodel")
            }
            let ordered = ModelReader.ordered(names + [name], bundleName: ModelFiles.name(ofPath: path))
            if reader.versionOrder == nil, let last = ordered.last, last != name {
                throw ModelEditingError.notLast(name, last: last, example: nextName(after: last, beside: names))
            }
        }
        if isTrial { return name }
        try FileManager.default.copyItem(
            atPath: "\(path)/\(current.name).xcdatamodel", toPath: "\(path)/\(name).xcdatamodel")
        try write(currentVersionList(name), to: path + "/.xccurrentversion")
        return name
    }

    /// The name of the version that would follow one, and the text of the `.xccurrentversion` that makes it the current
    /// one; nil if the bundle has no such version.
    package static func newVersion(
        ofBundleAtPath path: String, after name: String
    ) -> (name: String, currentVersionList: String)? {
        let names = ModelFiles.versionNames(inBundle: path)
        guard names.contains(name) else { return nil }
        let new = nextName(after: name, beside: names)
        return (new, currentVersionList(new))
    }

    /// The text of the `.xccurrentversion` that makes a version the current one.
    package static func text(makingCurrent name: String) -> String { currentVersionList(name) }

    private static func checkName(_ name: String) throws {
        guard !name.isEmpty, !name.contains("/"), !name.hasPrefix(".") else {
            throw ModelEditingError.illegalName(name)
        }
    }

    private static func nextName(after current: String, beside names: [String]) -> String {
        let taken = Set(names.map { $0.lowercased() })
        var (base, number) = numbered(current)
        var name: String
        repeat {
            number += 1
            name = "\(base) \(number)"
        } while taken.contains(name.lowercased())
        return name
    }

    /// A version's name without its number, and the number; 1 if it has none.
    private static func numbered(_ name: String) -> (base: String, number: Int) {
        guard let space = name.lastIndex(of: " "), let number = Int(name[name.index(after: space)...]), number > 0
        else {
            return (name, 1)
        }
        return (String(name[..<space]), number)
    }

    private static func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
    }

    private static func currentVersionList(_ name: String) -> String {
        let escaped = XMLText.escaped(name)
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">
            <dict>
            \t<key>_XCCurrentVersionName</key>
            \t<string>\(escaped).xcdatamodel</string>
            </dict>
            </plist>

            """
    }

    /// The contents of a version without entities.
    package static let emptyVersion = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
        </model>

        """

    private static let firstVersion = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" lastSavedToolsVersion="22758" \
        systemVersion="23E224" minimumToolsVersion="Automatic" sourceLanguage="Swift" \
        userDefinedModelVersionIdentifier="">
            <entity name="Item" representedClassName=".Item" syncable="YES">
                <attribute name="title" attributeType="String"/>
                <attribute name="timestamp" attributeType="Date" usesScalarValueType="NO"/>
            </entity>
        </model>

        """
}

/// The reason why a model could not be made or changed. Nothing was written.
public enum ModelEditingError: Error, Sendable, Hashable {
    /// A model cannot have this name.
    case illegalName(String)
    /// There is something at the path already.
    case exists(String)
    /// A version of this name would not be the newest, because names determine the order.
    case notLast(String, last: String, example: String)
    /// There is no `.xcdatamodeld` bundle at the path.
    case noBundle(String)
    /// The bundle does not determine its current version, or that version cannot be read.
    case noCurrentVersion(String)
    /// The file changed after it was read.
    case changed(String)
    /// The changes cannot be made exactly in the file as it is.
    case notExact(String)
    /// The file system does not let the file be replaced.
    case notWritable(String, reason: String)
}

extension ModelEditingError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .illegalName(let name): "'\(name)' cannot be the name of a model. Use letters, digits and spaces."
        case .notLast(let name, let last, let example):
            "A version '\(name)' would come before '\(last)', because the names determine the order. "
                + "Choose a name that comes last, such as '\(example) \(name)'."
        case .exists(let path): "There is a model at \(path) already. Choose another name."
        case .noBundle(let path): "There is no .xcdatamodeld bundle at \(path)."
        case .noCurrentVersion(let path):
            "\(path) has no current version that can be read. Run 'ashlar check' on it to see why."
        case .changed(let path): "\(path) was changed by another program meanwhile. It is left as it is; try again."
        case .notExact(let path): "\(path) cannot be changed exactly. Make the changes by hand."
        case .notWritable(let path, let reason):
            "\(path) cannot be replaced: \(reason). Make the file and its folder writable."
        }
    }
}
