import Foundation

/// Reads a keyed archive into values, each object once.
struct KeyedArchiveReader {
    private let list: BinaryPropertyList
    /// The positions of the archive's objects in the property list.
    private var objects: [Int] = []
    private var top: [String: Int] = [:]
    /// What was read, with the number of values in it.
    private var known: [Int: (value: ArchivedValue, count: Int)] = [:]
    /// The objects that are being read, which must not contain themselves.
    private var path: Set<Int> = []
    /// More values than that can only come from repeated collections, of which a few lines make billions.
    private let maximumCount: Int

    init(_ data: Data) throws(ArchiveError) {
        list = try BinaryPropertyList(data)
        maximumCount = max(1 << 20, data.count)
        let archive = try dictionary(list.root)
        guard let archiver = archive["$archiver"], case .string(KeyedArchive.archiver) = try list.object(at: archiver)
        else { throw .notAnArchive("its $archiver is not \(KeyedArchive.archiver)") }
        guard let version = archive["$version"], case .integer(KeyedArchive.version) = try list.object(at: version)
        else { throw .notAnArchive("its $version is not \(KeyedArchive.version)") }
        guard let position = archive["$objects"], case .array(let objects) = try list.object(at: position),
            let top = archive["$top"]
        else { throw .notAnArchive("it has no $objects or no $top") }
        self.objects = objects
        self.top = try dictionary(top)
    }

    /// The value under the key `root`.
    mutating func root() throws(ArchiveError) -> ArchivedValue {
        guard let position = top["root"], case .uid(let identifier) = try list.object(at: position) else {
            throw .notAnArchive("it has no root")
        }
        return try value(identifier).value
    }

    /// A dictionary whose keys are strings.
    private func dictionary(_ position: Int) throws(ArchiveError) -> [String: Int] {
        guard case .dictionary(let pairs) = try list.object(at: position) else {
            throw .notAnArchive("a dictionary is missing")
        }
        return try names(pairs)
    }

    private func names(_ pairs: [(key: Int, value: Int)]) throws(ArchiveError) -> [String: Int] {
        var result: [String: Int] = [:]
        for pair in pairs {
            guard case .string(let key) = try list.object(at: pair.key) else {
                throw .notAnArchive("a key is not a string")
            }
            result[key] = pair.value
        }
        return result
    }

    // MARK: Objects

    private mutating func value(_ identifier: Int) throws(ArchiveError) -> (value: ArchivedValue, count: Int) {
        if let known = known[identifier] { return known }
        guard objects.indices.contains(identifier) else { throw .notAnArchive("an object is missing") }
        if path.count >= KeyedArchive.maximumDepth { throw .tooDeep }
        guard path.insert(identifier).inserted else { throw .cycle }
        defer { path.remove(identifier) }
        let result: (ArchivedValue, Int)
        switch try list.object(at: objects[identifier]) {
        case .boolean(let value): result = (.boolean(value), 1)
        case .integer(let value): result = (.integer(value), 1)
        case .real(let value): result = (.real(value), 1)
        case .date(let seconds): result = (.date(Date(timeIntervalSinceReferenceDate: seconds)), 1)
        case .data(let value): result = (.data(value), 1)
        case .string(let text): result = (text == KeyedArchive.null ? .null : .string(text), 1)
        case .dictionary(let pairs): result = try instance(try names(pairs))
        case .uid, .array: throw .notAnArchive("an object is of no class")
        }
        if result.1 > maximumCount { throw .tooLarge }
        known[identifier] = result
        return result
    }

    private mutating func instance(_ fields: [String: Int]) throws(ArchiveError) -> (ArchivedValue, Int) {
        let name = try className(fields)
        guard let known = ArchivedClass(rawValue: name) else { throw .classNotAllowed(name) }
        switch known {
        case .null: return (.null, 1)
        case .string, .mutableString: return (.string(try string(fields, "NS.string", name)), 1)
        case .data, .mutableData: return (.data(try data(fields, ["NS.data", "NS.bytes"], name)), 1)
        case .number: return (try number(fields), 1)
        case .date: return (.date(Date(timeIntervalSinceReferenceDate: try real(fields, "NS.time", name))), 1)
        case .url: return (.url(try url(fields)), 1)
        case .uuid: return (.uuid(try uuid(fields)), 1)
        case .array, .mutableArray:
            let (values, count) = try values(fields, "NS.objects", name)
            return (.array(values), count)
        case .set, .mutableSet:
            let (values, count) = try values(fields, "NS.objects", name)
            let set = Set(values)
            // Swift takes texts for equal that Foundation tells apart.
            guard set.count == values.count else { throw Self.unsound(name) }
            return (.set(set), count)
        case .dictionary, .mutableDictionary:
            let (keys, first) = try values(fields, "NS.keys", name)
            let (values, second) = try values(fields, "NS.objects", name)
            guard keys.count == values.count, Set(keys).count == keys.count else { throw Self.unsound(name) }
            return (.dictionary(Dictionary(zip(keys, values)) { _, last in last }), first + second)
        }
    }

    private func className(_ fields: [String: Int]) throws(ArchiveError) -> String {
        guard let position = fields["$class"], case .uid(let identifier) = try list.object(at: position),
            objects.indices.contains(identifier)
        else { throw .notAnArchive("an object is of no class") }
        let description = try dictionary(objects[identifier])
        guard let name = description["$classname"], case .string(let text) = try list.object(at: name) else {
            throw .notAnArchive("a class has no name")
        }
        return text
    }

    private static func unsound(_ name: String) -> ArchiveError { .notAnArchive("an object of \(name) is not sound") }

    // MARK: Fields

    /// A field's own value, or that of the object that it refers to.
    private func field(_ fields: [String: Int], _ key: String) throws(ArchiveError) -> BinaryPropertyList.Object? {
        guard let position = fields[key] else { return nil }
        let object = try list.object(at: position)
        guard case .uid(let identifier) = object else { return object }
        guard objects.indices.contains(identifier) else { throw .notAnArchive("an object is missing") }
        return try list.object(at: objects[identifier])
    }

    private mutating func values(
        _ fields: [String: Int], _ key: String, _ name: String
    ) throws(ArchiveError) -> (values: [ArchivedValue], count: Int) {
        guard let position = fields[key], case .array(let references) = try list.object(at: position) else {
            throw Self.unsound(name)
        }
        var result: [ArchivedValue] = []
        var total = 1
        for reference in references {
            guard case .uid(let identifier) = try list.object(at: reference) else { throw Self.unsound(name) }
            let (value, count) = try value(identifier)
            total += count
            if total > maximumCount { throw .tooLarge }
            result.append(value)
        }
        return (result, total)
    }

    private func string(_ fields: [String: Int], _ key: String, _ name: String) throws(ArchiveError) -> String {
        switch try field(fields, key) {
        case .string(let text): return text
        case .data(let bytes):
            guard let text = String(validating: bytes, as: UTF8.self) else { throw Self.unsound(name) }
            return text
        default: throw Self.unsound(name)
        }
    }

    private func data(_ fields: [String: Int], _ keys: [String], _ name: String) throws(ArchiveError) -> Data {
        for key in keys {
            if case .data(let bytes) = try field(fields, key) { return bytes }
        }
        throw Self.unsound(name)
    }

    private func real(_ fields: [String: Int], _ key: String, _ name: String) throws(ArchiveError) -> Double {
        switch try field(fields, key) {
        case .real(let value), .date(let value): return value
        case .integer(let value): return Double(value)
        default: throw Self.unsound(name)
        }
    }

    private func number(_ fields: [String: Int]) throws(ArchiveError) -> ArchivedValue {
        for key in ["NS.boolval", "NS.intval", "NS.dblval"] {
            switch try field(fields, key) {
            case .boolean(let value): return .boolean(value)
            case .integer(let value): return .integer(value)
            case .real(let value): return .real(value)
            default: continue
            }
        }
        throw Self.unsound(ArchivedClass.number.rawValue)
    }

    private func url(_ fields: [String: Int]) throws(ArchiveError) -> URL {
        let name = ArchivedClass.url.rawValue
        var base: URL?
        if let position = fields["NS.base"], case .uid(let identifier) = try list.object(at: position), identifier != 0
        {
            guard objects.indices.contains(identifier), identifier < objects.count,
                case .dictionary(let pairs) = try list.object(at: objects[identifier])
            else { throw Self.unsound(name) }
            let fields = try names(pairs)
            // A base has no base of its own once it was made a URL.
            guard try className(fields) == name, case .string(let text) = try field(fields, "NS.relative") else {
                throw Self.unsound(name)
            }
            base = URL(string: text)
            if base == nil { throw Self.unsound(name) }
        }
        let text = try string(fields, "NS.relative", name)
        guard let url = URL(string: text, relativeTo: base) else { throw Self.unsound(name) }
        return url.absoluteURL
    }

    private func uuid(_ fields: [String: Int]) throws(ArchiveError) -> UUID {
        let name = ArchivedClass.uuid.rawValue
        let bytes = try data(fields, ["NS.uuidbytes"], name)
        guard bytes.count == 16 else { throw Self.unsound(name) }
        return UUID(uuid: bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
    }
}
