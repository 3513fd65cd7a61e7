import Foundation

/// The URIs of files.
enum FileURI {
    /// The path that a URI names; nil if it is not a file on this machine.
    static func path(_ uri: String) -> String? {
        guard uri.lowercased().hasPrefix("file://") else { return nil }
        var rest = uri.dropFirst("file://".count)
        if rest.lowercased().hasPrefix("localhost/") { rest = rest.dropFirst("localhost".count) }
        rest = rest.prefix { $0 != "?" && $0 != "#" }
        guard rest.hasPrefix("/"), let path = String(rest).removingPercentEncoding else { return nil }
        #if os(Windows)
            // "/c:/Models" is "c:/Models" there.
            if path.dropFirst(2).hasPrefix(":") { return String(path.dropFirst()) }
        #endif
        return path
    }

    /// The URI of a file.
    static func uri(_ path: String) -> String {
        let allowed = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/")
        let escaped = path.addingPercentEncoding(withAllowedCharacters: allowed) ?? path
        return "file://" + (escaped.hasPrefix("/") ? "" : "/") + escaped
    }
}
