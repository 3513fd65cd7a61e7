/// The place of a document in a model.
struct ModelPath: Hashable {
    enum Kind: Hashable {
        /// The `contents` of a version.
        case version(name: String)
        /// A migration script.
        case script
    }

    var kind: Kind
    /// The `.xcdatamodeld` bundle, or the `.xcdatamodel` folder that is in none.
    var bundle: String

    /// Nil for a file that belongs to no model.
    init?(ofFile path: String) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count > 2, let name = parts.last else { return nil }
        let folder = parts.dropLast()
        let parent = folder.dropLast()
        if name == "contents", let version = folder.last, version.hasSuffix(".xcdatamodel") {
            kind = .version(name: String(version.dropLast(".xcdatamodel".count)))
            bundle = (parent.last?.hasSuffix(".xcdatamodeld") == true ? parent : folder).joined(separator: "/")
        } else if name.hasSuffix(".sql"), folder.last?.hasSuffix(".xcdatamodeld") == true {
            kind = .script
            bundle = folder.joined(separator: "/")
        } else {
            return nil
        }
    }
}
