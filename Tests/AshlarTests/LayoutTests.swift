import Foundation
import RandomNumbers
import RandomSeeds
import Testing

@_spi(Generated) @testable import Ashlar

/// The layouts of entities: the places of values in memory, and the operations on them.
@Suite struct LayoutTests {
    private let everything: [PartialKeyPath<Everything.Values>] = [
        \.address, \.archive, \.binary, \.boolean, \.date, \.decimal, \.defaultBoolean, \.defaultDate,
        \.defaultDecimal, \.defaultDouble, \.defaultFloat, \.defaultInteger16, \.defaultInteger32,
        \.defaultInteger64, \.defaultString, \.defaultUri, \.defaultUuid, \.double, \.float, \.integer16,
        \.integer32, \.integer64, \.level, \.mood, \.optionalAddress, \.optionalBinary, \.optionalBoolean,
        \.optionalDate, \.optionalDecimal, \.optionalDefaultBoolean, \.optionalDefaultDate, \.optionalDefaultDecimal,
        \.optionalDefaultDouble, \.optionalDefaultFloat, \.optionalDefaultInteger16, \.optionalDefaultInteger32,
        \.optionalDefaultInteger64, \.optionalDefaultMood, \.optionalDefaultString, \.optionalDefaultUri,
        \.optionalDefaultUuid, \.optionalDouble, \.optionalFloat, \.optionalInteger16, \.optionalInteger32,
        \.optionalInteger64, \.optionalLevel, \.optionalMood, \.optionalPalette, \.optionalString, \.optionalUri,
        \.optionalUuid, \.palette, \.string, \.uri, \.uuid,
    ]

    private let resident: [PartialKeyPath<Resident.Values>] = [\.blank, \.home, \.name, \.work, \.nothing]

    private let truck: [PartialKeyPath<Truck.Values>] = [\.name, \.wheels, \.driver, \.doors, \.load, \.plate]

    /// The offsets of properties in the layout equal those of the Swift compiler.
    private func expectOffsets<Values: EntityValues>(
        _ paths: [PartialKeyPath<Values>], sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let layout = Values.layout
        let named = Dictionary(uniqueKeysWithValues: zip(layout.names, layout.properties))
        #expect(named.count == paths.count, sourceLocation: sourceLocation)
        for path in paths {
            let name = "\(path)".split(separator: ".").last.map(String.init) ?? ""
            let offset = MemoryLayout<Values>.offset(of: path)
            #expect(named[name]?.offset == offset, "\(path)", sourceLocation: sourceLocation)
        }
    }

    @Test func offsetsAreThoseOfTheKeyPaths() {
        expectOffsets(everything)
        expectOffsets(resident)
        expectOffsets(truck)
    }

    @Test func everyEntityIsLaidOut() {
        for model in [TortureModel.modelDescription, StudioModel.modelDescription, AtlasModel.modelDescription] {
            for entity in model.entities {
                let layout = entity.layout
                #expect(layout.propertyRanges.last?.upperBound == layout.properties.count, "\(entity.name)")
                #expect(layout.columnRanges.last?.upperBound == layout.columns.count, "\(entity.name)")
                let own = layout.columns.array.filter { !$0.isDerived }
                #expect(own.map(\.number) == entity.ownColumns, "\(entity.name)")
            }
        }
    }

    // MARK: Rows

    /// Values that are read from a random row into a struct and into an object are equal, and are bound again
    /// unchanged.
    @Test(arguments: seeds())
    func valuesComeFromRowsAndGoBack(seed: Seed) throws {
        var random = RandomRows(generator: SeededGenerator(seed: seed))
        let container = try memoryContainer()
        for _ in 0..<50 {
            try roundTrip(Everything.self, Everything.Values.self, container, &random)
            try roundTrip(Truck.self, Truck.Values.self, container, &random)
            try roundTrip(Boat.self, Boat.Values.self, container, &random)
            try roundTrip(Person.self, Person.Values.self, container, &random)
        }
    }

    private func roundTrip<Values: EntityValues>(
        _ modelClass: ManagedObject.Type, _ type: Values.Type, _ container: ModelContainer, _ random: inout RandomRows
    ) throws {
        let entity = modelClass._ashlarEntity
        let row = try random.row(of: entity)
        let own = entity.ownColumns.map { row[$0] }
        let object = try Self.reading(row, entity, container) { (row) throws(RowError) in
            try modelClass.object(at: row)
        }
        let values = object._ashlarCopiedValues(as: type)
        #expect(try Self.bound(own.count, container) { object.bind(to: $0) } == own)
        let ofStruct = try Self.bound(own.count, container) { statement in
            withUnsafeBytes(of: values) { memory in
                memory.baseAddress.map { entity.layout.bindRow($0, to: statement) }
            }
        }
        // Identifiers are bound by number only if they belong to the store of the insertion.
        for (index, column) in entity.ownColumns.enumerated() where entity.columns[column].type != nil {
            #expect(ofStruct[index] == own[index], "\(entity.columns[column].name)")
        }
        for (index, column) in entity.ownColumns.enumerated() {
            let one = try Self.bound(1, container) { object.bind(column, to: $0, 1) }
            #expect(one == [own[index]])
            let isVisible = entity.layout.column(column)?.0.pointee.slot.isVisible == true
            #expect(object.sqliteValue(column) == (isVisible ? own[index] : .null), "\(entity.columns[column].name)")
        }
        expectProperties(values, row, entity)
        try expectChanges(object, entity, container, &random)
    }

    /// The properties that a mirror shows, found without the layout, equal the values of the row.
    private func expectProperties(_ values: some EntityValues, _ row: [SQLiteValue], _ entity: EntityDescription) {
        let children = Array(Mirror(reflecting: values).children)
        #expect(children.map(\.label) == entity.layout.names)
        for (child, name) in zip(children, entity.layout.names) {
            guard let column = entity.ownColumns.first(where: { entity.columns[$0].property == name }),
                let value = Self.plainValue(child.value)
            else { continue }
            #expect(value == row[column], "\(name)")
        }
    }

    /// Two objects differ in the same columns as their rows.
    private func expectChanges(
        _ object: ManagedObject, _ entity: EntityDescription, _ container: ModelContainer, _ random: inout RandomRows
    ) throws {
        let row = try random.row(of: entity)
        let modelClass = entity.modelClass
        let other = try Self.reading(row, entity, container) { (row) throws(RowError) in
            try modelClass.object(at: row)
        }
        let changes = object.changes(since: other.snapshot(), in: .max)
        // Types of a program are only compared for equality.
        for column in entity.ownColumns
        where column < 63 && !entity.columns[column].property.lowercased().hasSuffix("address") {
            let before = try Self.bound(1, container) { other.bind(column, to: $0, 1) }
            let after = try Self.bound(1, container) { object.bind(column, to: $0, 1) }
            let isChanged = changes & ManagedObject.bit(of: column) != 0
            #expect(isChanged == !Self.hasSameBytes(before, after), "\(entity.columns[column].name)")
        }
        let kept = object.snapshot()
        object.restore(other.snapshot())
        #expect(object.changes(since: other.snapshot(), in: .max) == 0)
        object.restore(kept)
        #expect(object.changes(since: other.snapshot(), in: .max) == changes)
    }

    /// Compares bytes, because Swift's comparison ignores the composition of accents.
    private static func hasSameBytes(_ left: [SQLiteValue], _ right: [SQLiteValue]) -> Bool {
        zip(left, right).allSatisfy { left, right in
            if case .text(let left) = left, case .text(let right) = right { return left.utf8.elementsEqual(right.utf8) }
            return left == right
        }
    }

    /// A value of one of the store's own types as SQLite has it; nil for others.
    private static func plainValue(_ value: Any) -> SQLiteValue? {
        switch value {
        case let value as Bool?: SQLiteValue(value)
        case let value as Int16?: SQLiteValue(value)
        case let value as Int32?: SQLiteValue(value)
        case let value as Int64?: SQLiteValue(value)
        case let value as Double?: SQLiteValue(value)
        case let value as Float?: SQLiteValue(value)
        case let value as Date?: SQLiteValue(value)
        case let value as String?: SQLiteValue(value)
        case let value as Data?: SQLiteValue(value)
        case let value as UUID?: SQLiteValue(value)
        case let value as URL?: SQLiteValue(value)
        case let value as Decimal?: SQLiteValue(value)
        case let value as PersistentIdentifier?: SQLiteValue(value)
        default: nil
        }
    }

    /// Reads a row of the entity's table.
    private static func reading<Result>(
        _ values: [SQLiteValue], _ entity: EntityDescription, _ container: ModelContainer,
        _ body: (Row) throws(RowError) -> Result
    ) throws -> Result {
        var row: [SQLiteValue] = [.integer(1), .integer(1)]
        if entity.hasDiscriminator { row.append(entity.discriminator.map { .text($0) } ?? .null) }
        row += values
        let parameters = (1...row.count).map { "?\($0)" }.joined(separator: ", ")
        return try container.read("a row is made") { connection in
            let statement = try connection.statement("SELECT \(parameters)")
            defer { statement.reset() }
            statement.bind(row)
            #expect(try statement.step())
            return try body(
                Row(statement: statement.handle, store: container.storeNumber(of: entity.number.root)))
        }
    }

    /// Returns the values that a closure binds.
    private static func bound(
        _ count: Int, _ container: ModelContainer, _ body: (Statement) -> Void
    ) throws -> [SQLiteValue] {
        let parameters = (1...count).map { "?\($0)" }.joined(separator: ", ")
        return try container.read("values are bound") { connection in
            let statement = try connection.statement("SELECT \(parameters)")
            defer { statement.reset() }
            body(statement)
            #expect(try statement.step())
            let row = Row(statement: statement.handle, store: 0)
            return (0..<Int32(count)).map { row.value($0) }
        }
    }

    /// A row that cannot be read leaks nothing, and the error names its column.
    @Test(arguments: seeds(1)) func unreadableRows(seed: Seed) throws {
        let container = try memoryContainer()
        var random = RandomRows(generator: SeededGenerator(seed: seed))
        let entity = Everything._ashlarEntity
        for column in entity.ownColumns where !entity.columns[column].isOptional {
            var row = try random.row(of: entity)
            row[column] = .null
            let error = #expect(throws: RowError.self) {
                _ = try Self.reading(row, entity, container) { (row) throws(RowError) in
                    try Everything.object(at: row)
                }
            }
            #expect(error?.column == Int32(column + 2), "\(entity.columns[column].name)")
        }
    }

    // MARK: Conformances

    /// A struct with the values of a truck. The compiler derives its conformances, which the layout provides for the
    /// truck's values.
    private struct Twin: Hashable, Codable {
        var name: String
        var wheels: Int16
        var driver: PersistentIdentifier?
        var doors: Int16
        var load: Double
        var plate: String?
    }

    private static let twins = [
        Twin(name: "a", wheels: 4, doors: 2, load: 1.5, plate: nil),
        Twin(name: "a", wheels: 4, doors: 2, load: 1.5, plate: ""),
        Twin(name: "\u{e9}", wheels: 4, doors: 2, load: 0, plate: "p"),
        Twin(name: "e\u{301}", wheels: 4, doors: 2, load: -0.0, plate: "p"),
        Twin(name: "b", wheels: -1, doors: 2, load: .nan, plate: "p"),
    ]

    private static func truck(_ twin: Twin) -> Truck.Values {
        Truck.Values(
            name: twin.name, wheels: twin.wheels, driver: twin.driver, doors: twin.doors, load: twin.load,
            plate: twin.plate)
    }

    @Test func equalityAndHashesAreThoseThatTheCompilerDerives() {
        for (index, first) in Self.twins.enumerated() {
            for second in Self.twins {
                #expect((Self.truck(first) == Self.truck(second)) == (first == second), "\(index)")
                if first == second { #expect(Self.truck(first).hashValue == Self.truck(second).hashValue) }
            }
        }
        #expect(Set(Self.twins.map(Self.truck)).count == Set(Self.twins).count)
        #expect(Everything._ashlarEntity.layout.properties.count > 50)
    }

    @Test func encodingIsThatWhichTheCompilerDerives() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        for twin in Self.twins where !twin.load.isNaN {
            let data = try encoder.encode(Self.truck(twin))
            #expect(try data == encoder.encode(twin))
            #expect(try JSONDecoder().decode(Truck.Values.self, from: data) == Self.truck(twin))
        }
        let incomplete = Data(#"{"name": "a", "wheels": 1, "doors": 2}"#.utf8)
        let error = #expect(throws: DecodingError.self) {
            _ = try JSONDecoder().decode(Truck.Values.self, from: incomplete)
        }
        guard case .keyNotFound(let key, _) = error else { throw try #require(error) }
        #expect(key.stringValue == "load")
    }

    @Test func valuesWithCompositesAreCoded() throws {
        var work = PostalAddress(mood: .calm, price: 1, street: "High Street")
        work.position = Coordinate(latitude: 1, longitude: 2)
        let values = Tenant.Values(
            blank: Blank(), home: nil, name: "t", work: work, nothing: Blank(), last: nil,
            next: Journey(finish: nil, pause: nil, start: PostalAddress(city: "York"), stop: Blank()))
        let decoded = try JSONDecoder().decode(Tenant.Values.self, from: try JSONEncoder().encode(values))
        #expect(decoded == values && decoded.work.position?.longitude == 2)
        var other = values
        other.work.position?.altitude = 1
        #expect(other != values)
    }
}

extension ValueSlot {
    /// Whether conditions can look at the value.
    fileprivate var isVisible: Bool { type != .coded || isRawValue }
}

/// Rows that the generated code can read.
struct RandomRows {
    var generator: SeededGenerator

    mutating func row(of entity: EntityDescription) throws -> [SQLiteValue] {
        try entity.columns.enumerated().map { number, column in
            if entity.layout.column(number) == nil { return .null }
            return column.isOptional && Bool.random(using: &generator) ? .null : try value(of: column)
        }
    }

    private mutating func value(of column: ColumnDescription) throws -> SQLiteValue {
        switch column.property.lowercased() {
        case let name where name.hasSuffix("mood"):
            return .text(Mood.allCases.randomElement(using: &generator)?.rawValue ?? "")
        case let name where name.hasSuffix("level"):
            return .integer(Int64(Level.allCases.randomElement(using: &generator)?.rawValue ?? 0))
        case let name where name.hasSuffix("palette"):
            return .blob(Data((0..<3).map { _ in UInt8.random(in: 0...255, using: &generator) }))
        case let name where name.hasSuffix("address"):
            let address = Address(street: text(), numbers: [1], note: nil)
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return .blob(try encoder.encode(address))
        case "archive": return .null
        default: break
        }
        switch column.type {
        case nil: return .integer(Int64.random(in: 1...1_000_000, using: &generator))
        case .boolean: return .integer(Int64.random(in: 0...1, using: &generator))
        case .integer16: return .integer(Int64(Int16.random(in: .min ... .max, using: &generator)))
        case .integer32: return .integer(Int64(Int32.random(in: .min ... .max, using: &generator)))
        case .integer64: return .integer(.random(in: .min ... .max, using: &generator))
        case .float: return .real(Double(Float.random(in: -1e6...1e6, using: &generator)))
        case .double, .date: return .real(.random(in: -1e9...1e9, using: &generator))
        case .decimal: return .text(Decimal(Int.random(in: -9999...9999, using: &generator)).description)
        case .string: return .text(text())
        case .uuid: return .blob(Data((0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }))
        case .uri: return .text("https://example.org/\(Int.random(in: 0...999, using: &generator))")
        case .binary, .transformable:
            let count = Int.random(in: 0...40, using: &generator)
            return .blob(Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }))
        }
    }

    /// Some of the texts are equal in Swift but not in the store.
    private mutating func text() -> String {
        ["", "a", "\u{e9}", "e\u{301}", "a longer text than fits into a string", "x\0y"]
            .randomElement(using: &generator) ?? ""
    }
}
