import Foundation

/// The content of a `Package.swift` that consists of calls with plain strings, as most do.
struct PackageManifest {
    /// A target that is declared in the manifest.
    struct Target {
        var name: String
        /// `target`, `executableTarget` or `testTarget`.
        var kind: String
        var call: SwiftCall
    }

    let bytes: [UInt8]
    /// Empty if the text is not Swift.
    let tokens: [SwiftToken]
    private(set) var targets: [Target] = []
    /// The call that makes the package; nil if there is none, or more than one.
    private(set) var package: SwiftCall?
    /// The identities of the packages that it depends on, in small letters.
    private(set) var dependencyIdentities: [String] = []

    private static let targetKinds: Set = ["target", "executableTarget", "testTarget"]
    /// Calls within which `.target(name:)` refers to a target that is declared elsewhere.
    private static let otherKinds: Set = ["macro", "plugin", "systemLibrary", "binaryTarget", "library", "executable"]

    init(_ source: String) {
        bytes = Array(source.utf8)
        tokens = SwiftToken.tokens(of: source) ?? []
        var place = 0
        var packages: [SwiftCall] = []
        while place < tokens.count {
            let isMember = place > 0 && tokens[place - 1].isMark(".")
            guard let call = SwiftCall(at: place, in: tokens) else {
                place += 1
                continue
            }
            place += 1
            if !isMember, call.name == "Package" {
                packages.append(call)
            } else if isMember, call.name == "package" {
                if let identity = Self.identity(call, tokens) { dependencyIdentities.append(identity) }
            } else if isMember, Self.targetKinds.contains(call.name) {
                if let name = call.string("name", in: tokens) {
                    targets.append(Target(name: name, kind: call.name, call: call))
                }
                place = call.end
            } else if isMember, Self.otherKinds.contains(call.name) {
                place = call.end
            }
        }
        if packages.count == 1 { package = packages[0] }
    }

    /// The name by which targets refer to a package: the last part of its URL or path, without `.git`.
    private static func identity(_ call: SwiftCall, _ tokens: [SwiftToken]) -> String? {
        if let identifier = call.string("id", in: tokens) { return identifier.lowercased() }
        guard let place = call.string("url", in: tokens) ?? call.string("path", in: tokens) else { return nil }
        var name = place.split(whereSeparator: { $0 == "/" || $0 == ":" }).last.map(String.init) ?? place
        if name.hasSuffix(".git") { name.removeLast(4) }
        return name.lowercased()
    }

    /// The version of Swift that the manifest requires, such as `6.2`; 0 if it is missing.
    var toolsVersion: (major: Int, minor: Int) {
        let line = String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self)
        guard let colon = line.firstIndex(of: ":"), line.contains("swift-tools-version") else { return (0, 0) }
        let numbers = line[line.index(after: colon)...].split { !$0.isNumber && $0 != "." }.first?
            .split(separator: ".").compactMap { Int($0) }
        return (numbers?.first ?? 0, numbers?.dropFirst().first ?? 0)
    }

    /// Whether the package has no targets: the manifest does not mention any, except for an empty list.
    var saysNoTargets: Bool {
        let count = tokens.count { $0.kind == .word && $0.text == "targets" }
        guard let value = package?.argument("targets")?.value else { return count == 0 }
        return count == 1 && value.count == 2 && isList(value)
    }

    /// Returns whether one of the tokens is a string with this text.
    func contains(_ text: String, in range: Range<Int>) -> Bool {
        tokens[range].contains { $0.kind == .string(text) }
    }

    /// Returns whether tokens are one list in brackets.
    func isList(_ range: Range<Int>) -> Bool {
        guard let first = range.first, tokens[first].isMark("["), tokens[range.upperBound - 1].isMark("]") else {
            return false
        }
        var depth = 0
        for place in range {
            if ["(", "[", "{"].contains(where: tokens[place].isMark) { depth += 1 }
            if [")", "]", "}"].contains(where: tokens[place].isMark) { depth -= 1 }
            if depth == 0 { return place == range.upperBound - 1 }
        }
        return false
    }
}
