import Ashlar
package import SystemFoundation

/// A keyed archive of a model as a list of objects with keys.
package struct ModelArchive {
    private let list: BinaryPropertyList
    /// The places of the archive's own objects in the list.
    private let objects: [Int]
    private let budget = Budget()

    private static let greatestSize = 16 << 20

    /// The number of values that may still be read: a file can name one long list in many places.
    private final class Budget {
        var left = 1 << 28
    }

    private func read(_ place: Int) -> BinaryPropertyList.Object? {
        guard budget.left > 0, let object = try? list.object(at: place) else { return nil }
        let cost =
            switch object {
            case .array(let places): places.count + 1
            case .dictionary(let pairs): pairs.count + 1
            case .string(let text): text.utf8.count + 1
            case .data(let data): data.count + 1
            default: 1
            }
        budget.left -= cost
        return object
    }

    /// Reads the content of `Z_MODELCACHE`, which is mostly compressed.
    package init(_ bytes: Data) throws {
        let isPlain = bytes.starts(with: Data("bplist00".utf8))
        guard bytes.count <= Self.greatestSize else { throw RawDeflate.Failure() }
        list = try BinaryPropertyList(isPlain ? bytes : RawDeflate.decompress(bytes, limit: Self.greatestSize))
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
        objects.indices.contains(position) ? read(objects[position]) : nil
    }

    private func value(_ position: Int, _ key: String) -> BinaryPropertyList.Object? {
        guard case .dictionary(let pairs)? = object(position) else { return nil }
        for (place, value) in pairs {
            if case .string(key)? = read(place) { return read(value) }
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

    /// A default as models write it; nil if there is none, or if it is neither a text nor a number.
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
            if case .uid(let number)? = read(place) { number } else { nil }
        }
    }

    /// The entity that a property is one of.
    package func owner(_ position: Int) -> String? {
        self.position(position, "NSEntity").flatMap { string($0, "NSEntityName") }
    }
}
