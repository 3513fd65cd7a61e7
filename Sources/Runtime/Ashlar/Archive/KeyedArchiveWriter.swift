import SystemFoundation

/// Writes values as a keyed archive. Equal scalars are written once, as `NSKeyedArchiver` does for equal objects.
struct KeyedArchiveWriter {
    private var list = BinaryPropertyListWriter()
    /// The positions of the archive's objects in the property list, by their identifiers.
    private var objects: [Int] = []
    private var scalars: [ArchivedValue: Int] = [:]
    private var classes: [ArchivedClass: Int] = [:]
    private var uids: [Int: Int] = [:]

    mutating func data(from value: ArchivedValue) throws(ArchiveError) -> Data {
        objects = [list.add(KeyedArchive.null)]
        let root = try identifier(of: value, depth: 0)
        let top = list.add(.dictionary([(list.add("root"), uid(root))]))
        let archive: [(key: Int, value: Int)] = [
            (list.add("$version"), list.add(.integer(KeyedArchive.version))),
            (list.add("$archiver"), list.add(KeyedArchive.archiver)),
            (list.add("$top"), top),
            (list.add("$objects"), list.add(.array(objects))),
        ]
        let position = list.add(.dictionary(archive))
        return list.data(root: position)
    }

    // MARK: Objects

    /// Returns the identifier of a value's object, and writes the object unless it was written before.
    private mutating func identifier(of value: ArchivedValue, depth: Int) throws(ArchiveError) -> Int {
        if depth >= KeyedArchive.maximumDepth { throw .tooDeep }
        switch value {
        case .array(let values):
            return add(.array, [("NS.objects", try elements(values, depth))])
        case .set(let values):
            return add(.set, [("NS.objects", try elements(values.sorted(by: ArchivedValue.precedes), depth))])
        case .dictionary(let values):
            let pairs = values.sorted { ArchivedValue.precedes($0.key, $1.key) }
            let keys = try elements(pairs.map(\.key), depth)
            return add(.dictionary, [("NS.keys", keys), ("NS.objects", try elements(pairs.map(\.value), depth))])
        default:
            // Zero and negative zero are equal, but not identical.
            if case .real = value { return scalar(value) }
            // Strings of different Unicode compositions are equal too.
            if case .string(let text) = value, !text.utf8.allSatisfy({ $0 < 0x80 }) { return scalar(value) }
            if let known = scalars[value] { return known }
            let identifier = scalar(value)
            scalars[value] = identifier
            return identifier
        }
    }

    private mutating func scalar(_ value: ArchivedValue) -> Int {
        switch value {
        case .null: return add(.null, [])
        case .boolean(let value): return add(.boolean(value))
        case .integer(let value): return add(.integer(value))
        case .real(let value): return add(.real(value))
        case .data(let value): return add(.data(value))
        case .string(let text):
            // The bare string would represent nil.
            if text == KeyedArchive.null { return add(.string, [("NS.string", list.add(text))]) }
            return add(.string(text))
        case .date(let date): return add(.date, [("NS.time", list.add(.real(date.timeIntervalSinceReferenceDate)))])
        case .uuid(let uuid):
            let bytes = withUnsafeBytes(of: uuid.uuid) { Data($0) }
            return add(.uuid, [("NS.uuidbytes", list.add(.data(bytes)))])
        case .url(let url):
            let text = add(.string(url.absoluteString))
            return add(.url, [("NS.base", uid(0)), ("NS.relative", uid(text))])
        case .array, .dictionary, .set: return 0
        }
    }

    private mutating func elements(_ values: [ArchivedValue], _ depth: Int) throws(ArchiveError) -> Int {
        var positions: [Int] = []
        for value in values { positions.append(uid(try identifier(of: value, depth: depth + 1))) }
        return list.add(.array(positions))
    }

    private mutating func add(_ object: BinaryPropertyList.Object) -> Int {
        objects.append(list.add(object))
        return objects.count - 1
    }

    private mutating func add(_ archivedClass: ArchivedClass, _ fields: [(String, Int)]) -> Int {
        var pairs: [(key: Int, value: Int)] = fields.map { (list.add($0.0), $0.1) }
        pairs.append((list.add("$class"), uid(identifier(of: archivedClass))))
        return add(.dictionary(pairs))
    }

    private mutating func identifier(of archivedClass: ArchivedClass) -> Int {
        if let known = classes[archivedClass] { return known }
        let name = list.add(archivedClass.rawValue)
        let names = list.add(.array([name, list.add("NSObject")]))
        let identifier = add(.dictionary([(list.add("$classname"), name), (list.add("$classes"), names)]))
        classes[archivedClass] = identifier
        return identifier
    }

    private mutating func uid(_ identifier: Int) -> Int {
        if let known = uids[identifier] { return known }
        let position = list.add(.uid(identifier))
        uids[identifier] = position
        return position
    }
}
