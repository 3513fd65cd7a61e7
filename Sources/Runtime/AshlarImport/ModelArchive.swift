import Ashlar
package import SystemFoundation

/// A keyed archive of a model as a list of objects with keys.
package struct ModelArchive {
    private let list: BinaryPropertyList
    /// The places of the archive's own objects in the list.
    private let objects: [Int]

    /// Reads what a store has in `Z_MODELCACHE`, which is mostly compressed.
    package init(_ bytes: Data) throws {
        let isPlain = bytes.starts(with: Data("bplist00".utf8))
        list = try BinaryPropertyList(isPlain ? bytes : RawDeflate.decompress(bytes))
        guard case .dictionary(let root) = try list.object(at: list.root) else { throw RawDeflate.Failure() }
        var found: [Int] = []
        for (key, value) in root {
            if case .string("$objects") = try list.object(at: key), case .array(let places) = try list.object(at: value)
            {
                found = places
            }
        }
        objects = found
    }

    private func object(_ position: Int) -> BinaryPropertyList.Object? {
        objects.indices.contains(position) ? try? list.object(at: objects[position]) : nil
    }

    private func value(_ position: Int, _ key: String) -> BinaryPropertyList.Object? {
        guard case .dictionary(let pairs)? = object(position) else { return nil }
        for (place, value) in pairs {
            if case .string(key)? = try? list.object(at: place) { return try? list.object(at: value) }
        }
        return nil
    }

    /// The object that a key leads to.
    package func position(_ position: Int, _ key: String) -> Int? {
        if case .uid(let number)? = value(position, key) { number } else { nil }
    }

    package func className(_ position: Int) -> String? {
        self.position(position, "$class").flatMap { number in
            if case .string(let name)? = value(number, "$classname") { name } else { nil }
        }
    }

    package func positions(ofClass names: Set<String>) -> [Int] {
        objects.indices.filter { className($0).map(names.contains) ?? false }
    }

    package func string(_ position: Int) -> String? {
        if case .string(let text)? = object(position), text != "$null" { return text }
        if case .string(let text)? = value(position, "NS.string") { return text }
        return nil
    }

    package func string(_ position: Int, _ key: String) -> String? {
        if let number = self.position(position, key) { return string(number) }
        if case .string(let text)? = value(position, key) { return text }
        return nil
    }

    private func scalar(_ position: Int, _ key: String) -> BinaryPropertyList.Object? {
        self.position(position, key).flatMap(object) ?? value(position, key)
    }

    package func integer(_ position: Int, _ key: String) -> Int? {
        if case .integer(let number)? = scalar(position, key) { Int(clamping: number) } else { nil }
    }

    /// Returns whether a key leads to something, whatever it is.
    package func hasObject(_ position: Int, _ key: String) -> Bool {
        switch scalar(position, key) {
        case nil, .string("$null")?: false
        default: true
        }
    }

    package func flag(_ position: Int, _ key: String) -> Bool {
        switch scalar(position, key) {
        case .boolean(let flag)?: flag
        case .integer(let number)?: number != 0
        default: false
        }
    }

    /// A default as models write it; nil where there is none, or one that is no text and no number.
    package func text(_ position: Int, _ key: String, isBoolean: Bool) -> String? {
        switch scalar(position, key) {
        case .boolean(let flag)?: isBoolean ? (flag ? "YES" : "NO") : (flag ? "1" : "0")
        case .integer(let number)?: isBoolean ? (number == 0 ? "NO" : "YES") : String(number)
        case .real(let number)?: String(number)
        case .string(let text)? where text != "$null": text
        default: nil
        }
    }

    /// The objects of an array that a key leads to.
    package func elements(_ position: Int, _ key: String) -> [Int] {
        self.position(position, key).map(elements(of:)) ?? []
    }

    package func elements(of position: Int) -> [Int] {
        guard case .array(let places)? = value(position, "NS.objects") else { return [] }
        return places.compactMap { place in
            if case .uid(let number)? = try? list.object(at: place) { number } else { nil }
        }
    }

    /// The entity that a property is one of.
    package func owner(_ position: Int) -> String? {
        self.position(position, "NSEntity").flatMap { string($0, "NSEntityName") }
    }
}
