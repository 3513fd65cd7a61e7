import Ashlar
import Foundation
import Testing

nonisolated enum Kind: String, Codable, Sendable, CaseIterable { case raw, ready, sold }

/// A thing in plain Swift, beside the object of the same number.
final class Plain {
    let number: Int64
    let isTool: Bool
    var name = ""
    var note: String?
    var count: Int64 = 0
    var width: Int32 = 0
    var small: Int16?
    var weight = 0.0
    var ratio: Float?
    var price = Decimal()
    var cost: Decimal?
    var flag = false
    var mark: Bool?
    var date = Date(timeIntervalSinceReferenceDate: 0)
    var due: Date?
    var data: Data?
    var code: UUID?
    var link: URL?
    var kind = Kind.raw
    var place: Place?
    private(set) weak var owner: Plain?
    private(set) var parts: [Plain] = []
    var labels: Set<String> = []
    /// The number of batches that found it.
    var foundCount: Int64 = 0

    init(number: Int64, isTool: Bool) {
        self.number = number
        self.isTool = isTool
    }

    func setOwner(_ new: Plain?) {
        if new === owner { return }
        owner?.parts.removeAll { $0 === self }
        owner = new
        new?.parts.append(self)
    }

    func leave() {
        setOwner(nil)
        for part in parts { part.setOwner(nil) }
    }
}

/// The destination of a path: an object, or none. If a cast failed on the way, counts are nil too.
struct Subject {
    var object: Plain?
    var isCastAway = false

    var parts: [Plain]? { isCastAway ? nil : object?.parts ?? [] }
    var labels: Set<String>? { isCastAway ? nil : object?.labels ?? [] }
    /// The parts of the owner; no cast is on this path.
    var siblings: [Plain]? { isCastAway ? nil : object?.owner?.parts ?? [] }
}

/// The objects of the context that fetches, by their numbers.
struct StockObjects {
    let context: ModelContext

    func thing(_ number: Int64) -> Thing? { try? context.fetch(Thing.where { $0.number == number }).first }
}

/// Things in a store, in contexts and as plain values.
final class StockRoom {
    let container: ModelContainer
    /// The parent of the context in which the things change.
    let parent: ModelContext
    let context: ModelContext
    private(set) var things: [Plain] = []
    private var objects: [Int64: Thing] = [:]
    private let labels = ["red", "blue"]
    private var labelObjects: [String: Label] = [:]

    static let texts = [
        "", "a", "A", "Café", "CAFE\u{301}", "straße", "STRASSE", "naïve 🎉", "👩‍👩‍👧a", "ＡＢ", "a%b_c*", "中a",
    ]
    private static let counts: [Int64] = [0, 1, -1, 3, .max, 7, .min, 1000]
    private static let widths: [Int32] = [0, 5, -5, 100, 2000, 7]
    private static let smalls: [Int16?] = [nil, 0, 3, -3, .max]
    private static let weights: [Double] = [0, 0.5, -0.5, 1.5, 2.5, -2.5, 1e300, .leastNonzeroMagnitude, 100]
    private static let ratios: [Float?] = [nil, 0.25, -1.5, 3]
    private static let prices = ["0", "0.1", "12.5", "-3.25", "99999999999999999999.99", "7", "2.5"]
    private static let dates: [Double] = [0, 700_000_000.5, -1e9, 3600, -63_114_076_800]
    private static let bytes: [Data?] = [nil, Data(), Data([0]), Data([0, 255]), Data([255])]
    static let codes = (1...3 as ClosedRange<UInt8>).map {
        UUID(uuid: ($0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255 - $0))
    }
    static let links = ["https://a.b/", "https://a.b/c?d=1"].compactMap { URL(string: $0) }
    private static let places: [Place?] = [nil, Place(label: nil, x: 0), Place(label: "Café", x: -1.5)]

    init() throws {
        container = try ModelContainer(
            for: StockModel.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        parent = ModelContext(container)
        context = ModelContext(parent: parent)
        for name in labels {
            let label = Label(name: name)
            context.insert(label)
            labelObjects[name] = label
        }
        for _ in 0..<9 { add() }
        fill(0)
    }

    private func add() {
        let plain = Plain(number: (things.last?.number ?? -1) + 1, isTool: things.count % 3 == 1)
        things.append(plain)
        let object = plain.isTool ? Tool() : Thing()
        object.number = plain.number
        objects[plain.number] = object
        context.insert(object)
    }

    private func remove(at index: Int) {
        let plain = things.remove(at: index)
        plain.leave()
        if let object = objects.removeValue(forKey: plain.number) { context.delete(object) }
    }

    /// Gives all things other values, and deletes and inserts one.
    func change() {
        remove(at: 4)
        add()
        fill(5)
    }

    private func fill(_ shift: Int) {
        for (index, plain) in things.enumerated() {
            func pick<Value>(_ values: [Value], _ stride: Int) -> Value {
                values[(index * stride + shift) % values.count]
            }
            plain.name = pick(Self.texts, 1)
            plain.note = pick(Self.texts.map { Optional($0) } + [nil], 5)
            plain.count = pick(Self.counts, 1)
            plain.width = pick(Self.widths, 1)
            plain.small = pick(Self.smalls, 1)
            plain.weight = pick(Self.weights, 1)
            plain.ratio = pick(Self.ratios, 1)
            plain.price = Decimal(string: pick(Self.prices, 1)) ?? 0
            plain.cost = index % 4 == 3 ? nil : Decimal(string: pick(Self.prices, 2))
            plain.flag = (index + shift) % 2 == 0
            plain.mark = pick([nil, true, false], 1)
            plain.date = Date(timeIntervalSinceReferenceDate: pick(Self.dates, 1))
            plain.due = index % 3 == 2 ? nil : Date(timeIntervalSinceReferenceDate: pick(Self.dates, 2))
            plain.data = pick(Self.bytes, 1)
            plain.code = pick(Self.codes.map { Optional($0) } + [nil], 1)
            plain.link = pick(Self.links.map { Optional($0) } + [nil], 1)
            plain.kind = pick(Kind.allCases, 1)
            plain.place = pick(Self.places, 1)
            plain.labels = Set(labels.enumerated().filter { (index + shift) & (1 << $0.offset) != 0 }.map(\.element))
        }
        for (index, plain) in things.enumerated() {
            // No owner, the first thing, or the one before; one thing owns itself.
            plain.setOwner([nil, things[0], things[max(0, index - 1)]][(index + shift) % 3])
        }
        for plain in things { if let object = objects[plain.number] { copy(plain, to: object) } }
        for plain in things { objects[plain.number]?.owner = plain.owner.flatMap { objects[$0.number] } }
        // Parts are in the order of their insertion.
        for plain in things { objects[plain.number]?.parts = ToMany(plain.parts.compactMap { objects[$0.number] }) }
    }

    private func copy(_ plain: Plain, to object: Thing) {
        object.name = plain.name
        object.note = plain.note
        object.count = plain.count
        object.width = plain.width
        object.small = plain.small
        object.weight = plain.weight
        object.ratio = plain.ratio
        object.price = plain.price
        object.cost = plain.cost
        object.flag = plain.flag
        object.mark = plain.mark
        object.date = plain.date
        object.due = plain.due
        object.data = plain.data
        object.code = plain.code
        object.link = plain.link
        object.kind = plain.kind
        object.place = plain.place
        object.labels = ToMany(plain.labels.compactMap { labelObjects[$0] })
    }

    // MARK: Batches

    /// Expects a batch to update the same objects as the plain values, and counts it in these.
    func expectUpdate(
        of descriptor: FetchDescriptor<Thing>, _ expected: (Plain) -> Bool, _ comment: Comment
    ) throws {
        let found = things.filter(expected)
        for plain in found { plain.foundCount += 1 }
        let batch = ModelContext(container)
        #expect(try batch.batchUpdate(descriptor) { $0.foundCount += 1 } == found.count, comment)
        let counts = try batch.fetch(Thing.order { $0.number }.select { $0.foundCount })
        #expect(counts == things.map(\.foundCount), comment)
    }

    func expectDeletion(
        of descriptor: FetchDescriptor<Thing>, _ expected: (Plain) -> Bool, _ comment: Comment
    ) throws {
        let found = things.filter(expected)
        let batch = ModelContext(container)
        #expect(try batch.batchDelete(descriptor) == found.count, comment)
        things.removeAll { plain in found.contains { $0 === plain } }
        for plain in found { plain.leave() }
        #expect(try batch.fetch(Thing.order { $0.number }.select { $0.number }) == things.map(\.number), comment)
    }
}
