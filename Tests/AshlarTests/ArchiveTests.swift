import Foundation
import RandomNumbers
import RandomSeeds
import Testing

@testable import Ashlar

/// Keyed archives: values survive a round trip, Foundation reads the archives, and hostile archives are errors.
@Suite struct ArchiveTests {
    private func foundationArchive(_ object: Any) throws -> Data {
        try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: false)
    }

    @Test("row 149: reads what Foundation writes")
    func readsWhatFoundationWrites() throws {
        let id = UUID()
        let date = Date(timeIntervalSinceReferenceDate: 12345.5)
        let dictionary: NSDictionary = [
            "name" as NSString: "Sunset" as NSString, "umlaut" as NSString: "Grüße 👋" as NSString,
            "likes" as NSString: NSNumber(value: 3), "minus" as NSString: NSNumber(value: -7),
            "ratio" as NSString: NSNumber(value: 0.5),
            "tags" as NSString: NSArray(array: ["sea" as NSString, "sky" as NSString]),
            "link" as NSString: try #require(NSURL(string: "https://example.org/a?b=c")),
            "id" as NSString: try #require(NSUUID(uuidString: id.uuidString)),
            "when" as NSString: NSDate(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate),
        ]
        let value = try KeyedArchive.value(from: try foundationArchive(dictionary))
        #expect(
            value == [
                "name": "Sunset", "umlaut": "Grüße 👋", "likes": 3, "minus": -7, "ratio": 0.5, "tags": ["sea", "sky"],
                "link": .url(try #require(URL(string: "https://example.org/a?b=c"))), "id": .uuid(id),
                "when": .date(date),
            ])
        #expect(
            try KeyedArchive.value(from: try foundationArchive(Data([1, 2, 3]) as NSData)).data == Data([1, 2, 3]))
    }

    @Test func foundationReadsWhatIsWritten() throws {
        let value: ArchivedValue = [
            "name": "Sunset", "umlaut": "Grüße 👋", "likes": 3, "minus": -7, "ratio": 0.5,
            "tags": ["sea", "sky", "sea"],
        ]
        let data = try KeyedArchive.data(from: value)
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
        unarchiver.requiresSecureCoding = false
        let object = try #require(unarchiver.decodeObject(forKey: NSKeyedArchiveRootObjectKey) as? NSDictionary)
        #expect(object["name"] as? String == "Sunset")
        #expect(object["umlaut"] as? String == "Grüße 👋")
        #expect((object["likes"] as? NSNumber)?.intValue == 3)
        #expect((object["minus"] as? NSNumber)?.intValue == -7)
        #expect((object["ratio"] as? NSNumber)?.doubleValue == 0.5)
        #expect(object["tags"] as? [String] == ["sea", "sky", "sea"])
    }

    @Test(arguments: seeds()) func randomValuesComeBack(_ seed: Seed) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let value = Self.value(&random, depth: 4)
            let data = try KeyedArchive.data(from: value)
            #expect(try KeyedArchive.value(from: data) == value, "seed \(seed)")
            #expect(try KeyedArchive.data(from: value) == data, "seed \(seed)")
        }
    }

    /// A hostile archive yields an error or a value, never a crash or a long wait.
    @Test(arguments: seeds()) func changedArchivesDoNoHarm(_ seed: Seed) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            let data = try KeyedArchive.data(from: Self.value(&random, depth: 4))
            for _ in 0..<20 {
                var bytes = [UInt8](data)
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    let index = Int.random(in: 0..<bytes.count, using: &random)
                    bytes[index] = random.oneIn(3) ? 0xFF : UInt8.random(in: 0...255, using: &random)
                }
                if random.oneIn(5) { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random)) }
                do throws(ArchiveError) {
                    _ = try KeyedArchive.value(from: Data(bytes))
                } catch {
                    #expect(!error.description.isEmpty)
                }
            }
        }
    }

    @Test func whatContainsItselfIsAnError() {
        // An array whose only element is the array itself.
        var list = BinaryPropertyListWriter()
        let data = archive(&list) { list in
            let elements = list.add(.array([list.add(.uid(1))]))
            return [
                list.add(.dictionary([(list.add("NS.objects"), elements), (list.add("$class"), list.add(.uid(2)))])),
                list.add(.dictionary([(list.add("$classname"), list.add("NSArray"))])),
            ]
        }
        #expect(throws: ArchiveError.cycle) { try KeyedArchive.value(from: data) }
    }

    /// Each of forty arrays contains the next one twice, which makes a thousand billion values.
    @Test func repeatedCollectionsAreAnError() {
        var list = BinaryPropertyListWriter()
        let data = archive(&list) { list in
            var objects: [Int] = []
            for index in 1...40 {
                let next = list.add(.uid(index == 40 ? 0 : index + 1))
                let elements = list.add(.array([next, next]))
                objects.append(
                    list.add(
                        .dictionary([(list.add("NS.objects"), elements), (list.add("$class"), list.add(.uid(41)))]))
                )
            }
            objects.append(list.add(.dictionary([(list.add("$classname"), list.add("NSArray"))])))
            return objects
        }
        #expect(throws: ArchiveError.tooLarge) { try KeyedArchive.value(from: data) }
    }

    /// Parts that all instances share are read once: a class, the fields of an instance, a text, the base of URLs.
    /// Reading such a part, as long as the archive, for each instance took minutes.
    @Test(arguments: ["class", "instance", "text", "base", "key"]) func whatInstancesShare(_ shared: String) throws {
        let count = 20_000
        var list = BinaryPropertyListWriter()
        let data = archive(&list) { list in
            let fields: [(key: Int, value: Int)] = (0..<count).map { (list.add("f\($0)"), list.add(.boolean(true))) }
            let text = String(repeating: "text", count: 50_000)
            let key = shared == "key" ? list.add(text) : list.add("NS.string")
            let nested = count + 2
            let isURL = shared == "base"
            let name: (key: Int, value: Int) = (list.add("$classname"), list.add(isURL ? "NSURL" : "NSString"))
            let classOfAll = list.add(.dictionary([name] + (shared == "class" ? fields : [])))
            let listClass = list.add(.dictionary([(list.add("$classname"), list.add("NSArray"))]))
            let content = list.add(isURL ? "http://a/" : shared == "text" ? text : "short")
            let classField: (key: Int, value: Int) = (list.add("$class"), list.add(.uid(nested)))
            let relative: (key: Int, value: Int) = (list.add("NS.relative"), content)
            let base = list.add(.dictionary([relative, classField] + fields))
            let one = list.add(.dictionary([(key, content), classField] + (shared == "instance" ? fields : [])))
            let baseField: (key: Int, value: Int) = (list.add("NS.base"), list.add(.uid(nested + 2)))
            let instances = (0..<count).map { _ in
                if shared == "instance" { return one }
                return list.add(.dictionary(isURL ? [relative, classField, baseField] : [(key, content), classField]))
            }
            let elements = list.add(.array((0..<count).map { list.add(.uid($0 + 2)) }))
            let root = list.add(
                .dictionary([(list.add("NS.objects"), elements), (list.add("$class"), list.add(.uid(nested + 1)))]))
            return [root] + instances + [classOfAll, listClass, base]
        }
        switch shared {
        case "text": #expect(throws: ArchiveError.tooLarge) { try KeyedArchive.value(from: data) }
        case "key": #expect(throws: ArchiveError.self) { try KeyedArchive.value(from: data) }
        default:
            guard case .array(let values) = try KeyedArchive.value(from: data) else {
                Issue.record("it is an array")
                return
            }
            #expect(values.count == count)
        }
    }

    @Test func deepNestingIsAnError() throws {
        var value: ArchivedValue = []
        for _ in 0..<(KeyedArchive.maximumDepth - 1) { value = [value] }
        #expect(try KeyedArchive.value(from: try KeyedArchive.data(from: value)) == value)
        let deeper: ArchivedValue = [value]
        #expect(throws: ArchiveError.tooDeep) { try KeyedArchive.data(from: deeper) }
    }

    @Test func otherClassesAreNotAllowed() {
        var list = BinaryPropertyListWriter()
        let data = archive(&list) { list in
            [
                list.add(.dictionary([(list.add("$class"), list.add(.uid(2)))])),
                list.add(.dictionary([(list.add("$classname"), list.add("NSTask"))])),
            ]
        }
        #expect(throws: ArchiveError.classNotAllowed("NSTask")) { try KeyedArchive.value(from: data) }
    }

    @Test func valuesOfOtherTypesAreErrors() throws {
        let data = try KeyedArchive.data(from: ["a", 1])
        #expect(throws: ArchiveError.self) { try SecureUnarchiveFromDataTransformer<[String]>.value(from: data) }
        let numbers = try KeyedArchive.data(from: [1, 2.0, true])
        #expect(try SecureUnarchiveFromDataTransformer<[Int16]>.value(from: numbers) == [1, 2, 1])
        let fraction = try KeyedArchive.data(from: 1.5)
        #expect(throws: ArchiveError.self) { try SecureUnarchiveFromDataTransformer<Int>.value(from: fraction) }
        // The text that stands for nil in an archive is also an ordinary text.
        #expect(try KeyedArchive.value(from: try KeyedArchive.data(from: "$null")) == "$null")
    }

    /// An archive of several objects. The first is the root.
    private func archive(
        _ list: inout BinaryPropertyListWriter, _ objects: (inout BinaryPropertyListWriter) -> [Int]
    ) -> Data {
        let all = [list.add("$null")] + objects(&list)
        let pairs: [(key: Int, value: Int)] = [
            (list.add("$version"), list.add(.integer(100_000))), (list.add("$archiver"), list.add("NSKeyedArchiver")),
            (list.add("$top"), list.add(.dictionary([(list.add("root"), list.add(.uid(1)))]))),
            (list.add("$objects"), list.add(.array(all))),
        ]
        let root = list.add(.dictionary(pairs))
        return list.data(root: root)
    }

    private static func value(_ random: inout SeededGenerator, depth: Int) -> ArchivedValue {
        let count = Int.random(in: 0...5, using: &random)
        switch Int.random(in: 0...(depth > 0 ? 11 : 8), using: &random) {
        case 0: return .null
        case 1: return .boolean(random.oneIn(2))
        case 2:
            return .integer(Int64.random(in: .min ... .max, using: &random) >> Int64.random(in: 0...63, using: &random))
        case 3: return .real(Double.random(in: -1e9...1e9, using: &random))
        case 4:
            return .string(
                ["", "a", "Grüße", "👋", String(repeating: "long", count: 20)].randomElement(using: &random) ?? "")
        case 5: return .data(Data((0..<(count * 10)).map { _ in UInt8.random(in: 0...255, using: &random) }))
        case 6: return .date(Date(timeIntervalSinceReferenceDate: Double.random(in: -1e9...1e9, using: &random)))
        case 7: return URL(string: "https://example.org/\(count)").map { .url($0) } ?? .null
        case 8:
            let bytes = (UInt64.random(in: 0 ... .max, using: &random), UInt64.random(in: 0 ... .max, using: &random))
            return .uuid(UUID(uuid: withUnsafeBytes(of: bytes) { $0.loadUnaligned(as: uuid_t.self) }))
        case 9: return .array((0..<count).map { _ in value(&random, depth: depth - 1) })
        case 10: return .set(Set((0..<count).map { _ in value(&random, depth: depth - 1) }))
        default:
            var result: [ArchivedValue: ArchivedValue] = [:]
            for _ in 0..<count { result[value(&random, depth: depth - 1)] = value(&random, depth: depth - 1) }
            return .dictionary(result)
        }
    }
}
