import Ashlar
import Foundation
import Testing

/// Values that go into a store and come back the same.
@Suite struct RoundTripTests {
    private static let emoji = "👩‍👩‍👧‍👦 e\u{301} \u{10FFFF}"
    private static let texts = [
        "", "a", "\0", "a\0b", "\0\0", "line\r\nbreak", "'\"\\%_", emoji, String(repeating: "ß", count: 100_000),
    ]
    private static let doubles: [Double] = [
        0, 1, -1, 0.1, .pi, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude,
        .leastNormalMagnitude, .infinity, -.infinity, 0x1p53 + 1, 1e300,
    ]

    /// An object with the same value in everything that is not named.
    private func everything() -> Everything {
        Everything(
            address: Address(street: "", numbers: []), binary: Data(), boolean: false,
            date: Date(timeIntervalSinceReferenceDate: 0), decimal: 0, double: 0, float: 0, integer16: 0,
            integer32: 0, integer64: 0, level: .low, mood: .calm,
            palette: [], string: "", uri: URL(fileURLWithPath: "/"), uuid: UUID())
    }

    /// Saves objects, one for each value, and compares the values that another context reads with the original ones.
    private func expectRoundTrip<Value>(
        _ values: [Value], _ path: ReferenceWritableKeyPath<Everything, Value>, _ isSame: (Value, Value) -> Bool
    ) throws {
        let context = try memoryContext()
        for (index, value) in values.enumerated() {
            let object = everything()
            object.optionalInteger32 = Int32(index)
            object[keyPath: path] = value
            context.insert(object)
        }
        try context.save()
        let read = try ModelContext(context.container).fetch(Everything.order { $0.optionalInteger32.ascending })
        #expect(read.count == values.count)
        for (value, object) in zip(values, read) {
            #expect(isSame(value, object[keyPath: path]), "\(value) came back as \(object[keyPath: path])")
        }
    }

    private func expectRoundTrip<Value: Equatable>(
        _ values: [Value], _ path: ReferenceWritableKeyPath<Everything, Value>
    ) throws {
        try expectRoundTrip(values, path, ==)
    }

    @Test("row 4: integers") func integers() throws {
        try expectRoundTrip([0, 1, -1, .min, .max], \.integer16)
        try expectRoundTrip([nil, 0, .min, .max], \.optionalInteger16)
        try expectRoundTrip([0, 1, -1, .min, .max], \.integer32)
        try expectRoundTrip([0, 1, -1, .min, .max, 1 << 53 + 1], \.integer64)
        try expectRoundTrip([nil, 0, .min, .max], \.optionalInteger64)
    }

    @Test func booleans() throws {
        try expectRoundTrip([true, false], \.boolean)
        try expectRoundTrip([nil, true, false], \.optionalBoolean)
    }

    @Test func numbersBitByBit() throws {
        try expectRoundTrip(Self.doubles, \.double) { $0.bitPattern == $1.bitPattern }
        try expectRoundTrip([nil] + Self.doubles, \.optionalDouble) { $0?.bitPattern == $1?.bitPattern }
        let floats: [Float] = [0, 0.1, .greatestFiniteMagnitude, .leastNonzeroMagnitude, .infinity, -.infinity]
        try expectRoundTrip(floats, \.float) { $0.bitPattern == $1.bitPattern }
        try expectRoundTrip([nil] + floats, \.optionalFloat) { $0?.bitPattern == $1?.bitPattern }
    }

    @Test func datesBitByBit() throws {
        let dates = Self.doubles.map { Date(timeIntervalSinceReferenceDate: $0) } + [.distantPast, .distantFuture]
        try expectRoundTrip(dates, \.date) {
            $0.timeIntervalSinceReferenceDate.bitPattern == $1.timeIntervalSinceReferenceDate.bitPattern
        }
        try expectRoundTrip([nil, .distantPast], \.optionalDate)
    }

    /// SQLite stores a real number without a fraction as an integer, which has no zero with a sign.
    @Test func negativeZeroIsZero() throws {
        try expectRoundTrip([-0.0], \.double)
        try expectRoundTrip([nil, -0.0], \.optionalDouble)
    }

    @Test func infinityIsANumber() throws {
        try expectRoundTrip([.infinity, -.infinity], \.double)
        try expectRoundTrip([nil, .infinity, -.infinity], \.optionalFloat)
        try expectRoundTrip([Date(timeIntervalSinceReferenceDate: .infinity)], \.date)
    }

    @Test func texts() throws {
        try expectRoundTrip(Self.texts, \.string) { $0.utf8.elementsEqual($1.utf8) }
        try expectRoundTrip([nil] + Self.texts, \.optionalString)
    }

    @Test func blobs() throws {
        let blobs = [Data(), Data([0]), Data([0, 1, 0]), Data(repeating: 0xFF, count: 3_000_000)]
        try expectRoundTrip(blobs, \.binary)
        try expectRoundTrip([nil] + blobs, \.optionalBinary)
        try expectRoundTrip([nil] + blobs.map { .data($0) }, \.archive)
        // A slice does not begin at 0.
        try expectRoundTrip([Data([1, 2, 3, 4]).dropFirst(2)], \.binary)
    }

    @Test func identifiersAndURLs() throws {
        let zero = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        try expectRoundTrip([UUID(), zero], \.uuid)
        try expectRoundTrip([nil, zero], \.optionalUuid)
        let urls = ["https://example.org/ä?q=%20#f", "file:///tmp/a%20b", "relative/path", "mailto:a@b.c", "urn:x:y"]
            .compactMap { URL(string: $0) }
        try expectRoundTrip(urls, \.uri) { $0.absoluteString == $1.absoluteString }
        try expectRoundTrip([nil] + urls, \.optionalUri) { $0?.absoluteString == $1?.absoluteString }
    }

    @Test("rows 7, 37, 38, 148: converted values") func convertedValues() throws {
        let color = PaletteTransformer.Color(red: 0, green: 255, blue: 7)
        try expectRoundTrip([[], [color], Array(repeating: color, count: 1000)], \.palette)
        try expectRoundTrip([nil, [], [color]], \.optionalPalette)
        try expectRoundTrip(Mood.allCases, \.mood)
        try expectRoundTrip([nil] + Mood.allCases, \.optionalMood)
        try expectRoundTrip(Level.allCases, \.level)
        try expectRoundTrip([nil] + Level.allCases, \.optionalLevel)
        let addresses = [Address(street: "", numbers: []), Address(street: Self.emoji, numbers: [1, -1], note: "\0")]
        try expectRoundTrip(addresses, \.address)
        try expectRoundTrip([nil] + addresses, \.optionalAddress)
    }

    @Test("row 5: defaults") func defaults() throws {
        let context = try memoryContext()
        context.insert(everything())
        try context.save()
        let object = try #require(try context.fetched(Everything.self).first)
        #expect(object.defaultInteger16 == -7 && object.optionalDefaultInteger16 == -7)
        #expect(object.defaultInteger32 == 70000 && object.defaultInteger64 == 9_007_199_254_740_993)
        #expect(object.defaultDecimal == Decimal(string: "12.5") && object.defaultDouble == 0.1)
        #expect(object.defaultFloat == 1.5 && object.defaultString == "a \"default\"" && object.defaultBoolean)
        #expect(object.defaultDate == Date(timeIntervalSinceReferenceDate: 12345))
        #expect(object.defaultUuid == UUID(uuidString: "6F1B2C3D-4E5F-6071-8293-A4B5C6D7E8F9"))
        #expect(object.defaultUri.absoluteString == "https://example.org/a?b=c")
        #expect(object.optionalDefaultMood == .calm && object.optionalString == nil)
    }

    @Test("row 8: transients stay out of the store") func transientsStayOutOfTheStore() throws {
        let context = try memoryContext()
        let object = everything()
        object.scratch = "here"
        context.insert(object)
        try context.save()
        #expect(object.scratch == "here")
        #expect(try context.fetched(Everything.self).first?.scratch == nil)
        #expect(
            try context.container.integer("SELECT 1 FROM pragma_table_info('Everything') WHERE name = 'scratch'") == nil
        )
    }

    /// From its 64th column on, an entity's columns share the last bit of the mask of changes.
    @Test func manyColumns() throws {
        let context = try memoryContext()
        let label = Label(name: "owner")
        let wide = Wide()
        context.insert(wide)
        try context.save()
        wide.a01 = "first"
        wide.a64 = "in the 64th column"
        wide.a75 = 75
        try context.save()
        #expect(try context.fetched(Wide.self).first?.a64 == "in the 64th column")
        wide.zOwner = label
        try context.save()
        wide.a74 = 74.5
        try context.save()
        let other = ModelContext(context.container)
        let read = try #require(try other.fetch(Wide.all).first)
        #expect(read.a01 == "first" && read.a63 == nil && read.a64 == "in the 64th column")
        #expect(read.a74 == 74.5 && read.a75 == 75 && read.zOwner?.name == "owner")
        wide.a75 = 76
        context.rollback()
        #expect(wide.a75 == 75)
    }

    @Test func snapshotsEqualTheObjects() throws {
        let context = try memoryContext()
        let object = everything()
        object.string = "snapshot"
        context.insert(object)
        try context.save()
        let values = object.values
        object.string = "later"
        #expect(values.string == "snapshot")
        let fetched: [Everything.Values] = try context.fetchValues(Everything.all)
        #expect(fetched == [values])
    }
}
