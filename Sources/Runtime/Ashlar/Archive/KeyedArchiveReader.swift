import SystemFoundation

/// Reads a keyed archive into values, each object only once.
struct KeyedArchiveReader {
    private let list: BinaryPropertyList
    /// The positions of the archive's objects in the property list.
    private var objects: [Int] = []
    private var top: [String: Int] = [:]
    /// The objects read so far with the number of their values, by their position in the property list. With it, shared
    /// objects and strings are read once.
    private var known: [Int: (value: ArchivedValue, count: Int)] = [:]
    /// The names of the classes read so far, by the positions of their descriptions. All instances of a class share one
    /// description, which may be as long as the archive; the same holds for the bases of URLs, and for strings and data
    /// that objects share.
    private var classNames: [Int: String] = [:]
    private var bases: [Int: URL] = [:]
    private var leaves: [Int: BinaryPropertyList.Object] = [:]
    /// The positions of the objects that are being read. An object among them contains itself.
    private var path: Set<Int> = []
    /// The greatest number of values. Only repeated collections exceed it: a few lines can repeat them into billions of
    /// values.
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
            guard case .string(let key) = try list.object(at: pair.key), key.utf8.count <= Self.maximumKeyLength else {
                throw .notAnArchive("a key is not a string, or none of a class")
            }
            result[key] = pair.value
        }
        return result
    }

    /// The greatest length of a field's name. A long one that all objects share would be read and hashed for each.
    private static let maximumKeyLength = 1024

    // MARK: Objects

    private mutating func value(_ identifier: Int) throws(ArchiveError) -> (value: ArchivedValue, count: Int) {
        guard objects.indices.contains(identifier) else { throw .notAnArchive("an object is missing") }
        let position = objects[identifier]
        if let known = known[position] { return known }
        if path.count >= KeyedArchive.maximumDepth { throw .tooDeep }
        guard path.insert(position).inserted else { throw .cycle }
        defer { path.remove(position) }
        var result: (ArchivedValue, Int)
        switch try list.object(at: position) {
        case .boolean(let value): result = (.boolean(value), 1)
        case .integer(let value): result = (.integer(value), 1)
        case .real(let value): result = (.real(value), 1)
        case .date(let seconds): result = (.date(Date(timeIntervalSinceReferenceDate: seconds)), 1)
        case .data(let value): result = (.data(value), 1)
        case .string(let text): result = (text == KeyedArchive.null ? .null : .string(text), 1)
        case .dictionary(let pairs): result = try instance(try names(pairs))
        case .uid, .array: throw .notAnArchive("an object has no class")
        }
        // Each occurrence of a repeated string is compared and hashed again, in time proportional to its length.
        result.1 += result.0.length / 16
        if result.1 > maximumCount { throw .tooLarge }
        known[position] = result
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
            // Swift considers some strings equal that differ for Foundation.
            guard set.count == values.count else { throw Self.unsound(name) }
            return (.set(set), count)
        case .dictionary, .mutableDictionary:
            let (keys, first) = try values(fields, "NS.keys", name)
            let (values, second) = try values(fields, "NS.objects", name)
            guard keys.count == values.count, Set(keys).count == keys.count else { throw Self.unsound(name) }
            return (.dictionary(Dictionary(zip(keys, values)) { _, last in last }), first + second)
        }
    }

    private mutating func className(_ fields: [String: Int]) throws(ArchiveError) -> String {
        guard let position = fields["$class"], case .uid(let identifier) = try list.object(at: position),
            objects.indices.contains(identifier)
        else { throw .notAnArchive("an object has no class") }
        if let known = classNames[objects[identifier]] { return known }
        let description = try dictionary(objects[identifier])
        guard let name = description["$classname"], case .string(let text) = try list.object(at: name) else {
            throw .notAnArchive("a class has no name")
        }
        classNames[objects[identifier]] = text
        return text
    }

    private static func unsound(_ name: String) -> ArchiveError { .notAnArchive("an object of \(name) is not sound") }

    // MARK: Fields

    /// Returns a field's own value, or the value of the object that it refers to.
    private mutating func field(
        _ fields: [String: Int], _ key: String
    ) throws(ArchiveError) -> BinaryPropertyList.Object? {
        guard let position = fields[key] else { return nil }
        let object = try leaf(position)
        guard case .uid(let identifier) = object else { return object }
        guard objects.indices.contains(identifier) else { throw .notAnArchive("an object is missing") }
        return try leaf(objects[identifier])
    }

    /// Reads the object of a field. Strings and data are decoded once.
    private mutating func leaf(_ position: Int) throws(ArchiveError) -> BinaryPropertyList.Object {
        if let known = leaves[position] { return known }
        let object = try list.object(at: position)
        switch object {
        case .string, .data: leaves[position] = object
        default: break
        }
        return object
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

    private mutating func string(_ fields: [String: Int], _ key: String, _ name: String) throws(ArchiveError) -> String
    {
        switch try field(fields, key) {
        case .string(let text): return text
        case .data(let bytes):
            guard let text = String(validating: bytes, as: UTF8.self) else { throw Self.unsound(name) }
            return text
        default: throw Self.unsound(name)
        }
    }

    private mutating func data(_ fields: [String: Int], _ keys: [String], _ name: String) throws(ArchiveError) -> Data {
        for key in keys {
            if case .data(let bytes) = try field(fields, key) { return bytes }
        }
        throw Self.unsound(name)
    }

    private mutating func real(_ fields: [String: Int], _ key: String, _ name: String) throws(ArchiveError) -> Double {
        switch try field(fields, key) {
        case .real(let value), .date(let value): return value
        case .integer(let value): return Double(value)
        default: throw Self.unsound(name)
        }
    }

    private mutating func number(_ fields: [String: Int]) throws(ArchiveError) -> ArchivedValue {
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

    private mutating func url(_ fields: [String: Int]) throws(ArchiveError) -> URL {
        let name = ArchivedClass.url.rawValue
        var base: URL?
        if let position = fields["NS.base"], case .uid(let identifier) = try list.object(at: position), identifier != 0
        {
            guard objects.indices.contains(identifier) else { throw Self.unsound(name) }
            base = try self.base(at: objects[identifier], name)
        }
        let text = try string(fields, "NS.relative", name)
        guard let url = URL(string: text, relativeTo: base) else { throw Self.unsound(name) }
        return url.absoluteURL
    }

    private mutating func base(at position: Int, _ name: String) throws(ArchiveError) -> URL {
        if let known = bases[position] { return known }
        guard case .dictionary(let pairs) = try list.object(at: position) else { throw Self.unsound(name) }
        let fields = try names(pairs)
        // The base of a URL is absolute, so that it has no base of its own.
        guard try className(fields) == name, case .string(let text) = try field(fields, "NS.relative"),
            let base = URL(string: text)
        else { throw Self.unsound(name) }
        bases[position] = base
        return base
    }

    private mutating func uuid(_ fields: [String: Int]) throws(ArchiveError) -> UUID {
        let name = ArchivedClass.uuid.rawValue
        let bytes = try data(fields, ["NS.uuidbytes"], name)
        guard bytes.count == 16 else { throw Self.unsound(name) }
        return UUID(uuid: bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
    }
}

extension ArchivedValue {
    /// The length of a string or of data in bytes; 0 for other values.
    fileprivate var length: Int {
        switch self {
        case .string(let text): text.utf8.count
        case .data(let bytes): bytes.count
        default: 0
        }
    }
}
