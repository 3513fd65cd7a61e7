import Foundation
import Testing

@testable import Ashlar

/// Attributes of composite types: structs whose leaves are columns.
@Suite struct CompositeTests {
    private let container: ModelContainer
    private let context: ModelContext

    init() throws {
        container = try memoryContainer()
        context = ModelContext(container)
    }

    private static let somewhere = PostalAddress(
        city: "York", mood: .furious, position: Coordinate(altitude: 3.5, latitude: 1.5, longitude: -2.5),
        price: Decimal(string: "1.50"),
        street: "High Street")

    // MARK: Round trips

    private func everything(_ number: Int16, isFull: Bool) -> EverythingComposite {
        let date = Date(timeIntervalSinceReferenceDate: Double(number) + 0.1)
        let uri = URL(fileURLWithPath: "/\(number)")
        var value = EverythingComposite(
            address: Address(street: "s\(number)", numbers: [1, 2]), binary: Data([0, 255]), boolean: number % 2 == 0,
            date: date, decimal: Decimal(number) / 100, double: Double(number) / 3,
            float: Float(number) / 3, integer16: number, integer32: Int32(number) << 8, integer64: Int64(number) << 40,
            level: .high, mood: .quoted,
            palette: [PaletteTransformer.Color(red: 4, green: 5, blue: 6)], string: "a\0\(number)", uri: uri,
            uuid: UUID())
        guard isFull else { return value }
        value.integer16OrNil = 1
        value.integer32OrNil = 2
        value.integer64OrNil = 3
        value.decimalOrNil = Decimal(string: "0.1")
        value.doubleOrNil = -0.1
        value.floatOrNil = 0.5
        value.stringOrNil = "é"
        value.booleanOrNil = false
        value.dateOrNil = .distantPast
        value.uuidOrNil = UUID()
        value.uriOrNil = URL(fileURLWithPath: "/")
        value.moodOrNil = .calm
        value.levelOrNil = .low
        value.addressOrNil = Address(street: "", numbers: [])
        value.binaryOrNil = Data()
        value.paletteOrNil = []
        value.stringDefault = ""
        return value
    }

    @Test("row 10: leaves of all types come back") func leavesOfAllTypesComeBack() throws {
        let tops = [everything(1, isFull: false), everything(-2, isFull: true), everything(3, isFull: true)]
        let bottoms = [nil, everything(4, isFull: true), everything(5, isFull: false)]
        let identifiers = try zip(tops, bottoms).map { top, bottom in
            let cupboard = Cupboard(bottom: bottom, top: top)
            context.insert(cupboard)
            try context.save()
            return cupboard.persistentModelID
        }
        let other = ModelContext(container)
        for (index, identifier) in identifiers.enumerated() {
            let cupboard: Cupboard = try other.model(for: identifier)
            #expect(cupboard.top == tops[index])
            #expect(cupboard.bottom == bottoms[index])
            #expect(cupboard.words == nil)
        }
        #expect(try other.fetchValues(Cupboard.all).map(\.bottom) == bottoms)
        #expect(everything(1, isFull: false).integer64Default == 9_007_199_254_740_993)
        #expect(everything(1, isFull: false).decimalDefault == Decimal(string: "12.5"))
    }

    @Test func nilAndACompositeOfNothingButNilAreNotTheSame() throws {
        let values: [(home: PostalAddress?, blank: Blank?)] = [
            (nil, nil), (PostalAddress(), Blank()), (PostalAddress(position: Coordinate()), nil),
            (Self.somewhere, Blank()),
        ]
        for (index, value) in values.enumerated() {
            let resident = Resident(blank: value.blank, home: value.home, name: "\(index)")
            resident.home?.position?.altitude = index == 3 ? 1 : nil
            context.insert(resident)
        }
        try context.save()
        let read = try context.fetched(Resident.self).sorted { $0.name < $1.name }
        #expect(read.map(\.blank) == values.map(\.blank))
        #expect(read[0].home == nil && read[1].home == PostalAddress())
        #expect(read[2].home?.position == Coordinate() && read[3].home?.position?.altitude == 1)
        #expect(read.allSatisfy { $0.nothing == Blank() && $0.work == PostalAddress() })
        #expect(try container.integer("SELECT count(*) FROM Resident WHERE \"home$$present\" = 1") == 3)
        #expect(try container.integer("SELECT count(*) FROM Resident WHERE \"home$street\" IS NULL") == 1)
    }

    @Test func entitiesBelowInheritAndAddComposites() throws {
        let journey = Journey(finish: PostalAddress(city: "Leeds"), pause: Blank(), start: Self.somewhere)
        let tenant = Tenant(home: Self.somewhere, name: "tenant", last: journey, next: Journey(finish: Self.somewhere))
        let guest = Guest(name: "guest", last: Coordinate(latitude: 9))
        context.insert(tenant)
        context.insert(guest)
        context.insert(Resident(name: "resident"))
        try context.save()
        let other = ModelContext(container)
        let residents = try other.fetch(Resident.order { $0.name.ascending })
        #expect(residents.map(\.name) == ["guest", "resident", "tenant"])
        let read = try #require(residents[2] as? Tenant)
        #expect(read.last == journey && read.home == Self.somewhere && read.next.finish == Self.somewhere)
        #expect((residents[0] as? Guest)?.last == Coordinate(latitude: 9))
        #expect(try other.fetch(Tenant.where { $0.last.finish.city == "Leeds" && $0.last.pause != nil }) == [read])
        #expect(try other.fetch(Tenant.where { $0.next.start.position == nil && $0.home.street != nil }) == [read])
        #expect(read.values.last == journey && read.values.home == Self.somewhere)
        read.last?.start.position?.longitude = 7
        read.home?.city = nil
        try other.save()
        let again = try #require(try context.fetched(Tenant.self).first)
        #expect(again.last?.start.position?.longitude == 7 && again.home?.city == nil)
        #expect(again.last?.finish == PostalAddress(city: "Leeds"))
    }

    @Test func valuesAreHashableAndCodable() throws {
        let resident = Resident(blank: Blank(), home: Self.somewhere, name: "name")
        let values = resident.values
        let copy = try JSONDecoder().decode(Resident.Values.self, from: JSONEncoder().encode(values))
        #expect(copy == values && copy.home == Self.somewhere)
        #expect(Set([values.home?.position, copy.home?.position]).count == 1)
    }

    @Test func namesThatSwiftUsesItselfAreLeavesLikeAnyOther() throws {
        let cupboard = Cupboard(top: everything(1, isFull: false), words: Words(hashValue_: "h", init_: "i", let: "l"))
        cupboard.words?.where = Coordinate(altitude: 1)
        context.insert(cupboard)
        try context.save()
        let other = ModelContext(container)
        let read = try #require(
            try other.fetch(Cupboard.where { $0.words.`class` == "class" && $0.words.init_ == "i" }).first)
        #expect(read.words == cupboard.words && read.words?.`let` == "l" && read.words?.hashValue_ == "h")
        #expect(try other.fetchCount(Cupboard.where { $0.words.`where`.altitude == 1 && $0.bottom.string == nil }) == 1)
    }

    // MARK: Changes

    @Test func onlyLeavesThatChangedAreWritten() throws {
        let resident = Resident(home: Self.somewhere, name: "name")
        context.insert(resident)
        try context.save()
        // Values that another program wrote meanwhile stay in columns that this context did not change.
        try container.execute("UPDATE Resident SET \"home$city\" = 'Bath', \"home$position$altitude\" = 8")
        resident.home?.street = "Low Street"
        resident.home?.position?.latitude = 4
        #expect(resident.hasChanges)
        try context.save()
        let read = try #require(try context.fetched(Resident.self).first)
        #expect(read.home?.street == "Low Street" && read.home?.position?.latitude == 4)
        #expect(read.home?.city == "Bath" && read.home?.position?.altitude == 8)
    }

    @Test func whatIsSetToItselfIsNotWritten() throws {
        let resident = Resident(blank: Blank(), home: Self.somewhere, name: "name")
        context.insert(resident)
        try context.save()
        resident.home = Self.somewhere
        resident.work.street = ""
        resident.blank = Blank()
        resident.nothing = Blank()
        try context.save()
        #expect(try container.integer("SELECT \"version$\" FROM Resident") == 1)
        resident.blank = nil
        try context.save()
        #expect(try container.integer("SELECT \"version$\" FROM Resident") == 2)
        #expect(try context.fetched(Resident.self).first?.blank == nil)
    }

    @Test func leavesBeyondTheBitsOfTheMaskAreWritten() throws {
        let wide = Wide()
        context.insert(wide)
        try context.save()
        wide.a62b = Self.somewhere
        try context.save()
        #expect(try context.fetched(Wide.self).first?.values == wide.values)
        for change in 0..<4 {
            switch change {
            case 0: wide.a62b?.city = nil
            case 1: wide.a62b?.street = "Low Street"
            case 2: wide.a62b?.position?.longitude = 0
            default: wide.a62b?.position = nil
            }
            try context.save()
            #expect(try context.fetched(Wide.self).first?.values == wide.values)
        }
        #expect(try container.integer("SELECT \"version$\" FROM Wide") == 6)
    }

    @Test func aCompositeComesAndGoes() throws {
        let resident = Resident(name: "name")
        context.insert(resident)
        try context.save()
        resident.home = Self.somewhere
        try context.save()
        #expect(try context.fetched(Resident.self).first?.home == Self.somewhere)
        resident.home?.position = nil
        try context.save()
        #expect(try container.text("SELECT \"home$position$longitude\" FROM Resident") == nil)
        #expect(try context.fetched(Resident.self).first?.home?.city == "York")
        resident.home = nil
        try context.save()
        #expect(try container.integer("SELECT count(*) FROM Resident WHERE \"home$street\" IS NULL") == 1)
        #expect(try context.fetched(Resident.self).first?.home == nil)
    }

    @Test func rollbackBringsTheLeavesBack() throws {
        let resident = Tenant(home: Self.somewhere, name: "name", next: Journey(start: Self.somewhere))
        context.insert(resident)
        try context.save()
        resident.home?.position?.altitude = nil
        resident.next.start.mood = .calm
        resident.last = Journey()
        resident.work.city = "elsewhere"
        context.rollback()
        #expect(resident.home == Self.somewhere && resident.next == Journey(start: Self.somewhere))
        #expect(resident.last == nil && resident.work == PostalAddress() && !context.hasChanges)
    }

    @Test func aTransientCompositeIsNotStored() throws {
        let resident = Resident(name: "name")
        resident.seen = Coordinate(latitude: 1)
        resident.seen?.longitude = 2
        context.insert(resident)
        try context.save()
        #expect(resident.seen == Coordinate(latitude: 1, longitude: 2))
        #expect(try context.fetched(Resident.self).first?.seen == nil)
    }

    @Test func leavesAreUniqueWhereTheModelSaysSo() throws {
        context.insert(Resident(home: Self.somewhere, name: "first"))
        context.insert(Resident(name: "second"))
        context.insert(Resident(name: "third"))
        try context.save()
        context.insert(Resident(home: Self.somewhere, name: "fourth"))
        do {
            try context.save()
            Issue.record("two residents have one address")
        } catch SaveError.notUnique(_, let properties, _) {
            #expect(properties == ["home.street", "home.position.latitude"])
        }
    }

    @Test func aLeafThatItsTypeDoesNotAllowIsNamed() throws {
        context.insert(Resident(home: Self.somewhere, name: "name"))
        try context.save()
        try container.execute("UPDATE Resident SET \"home$mood\" = 'none'")
        let other = ModelContext(container)
        #expect(throws: StoreError.self) { try other.fetch(Resident.all) }
        #expect(try other.fetch(Resident.all).map { $0.home?.mood } == [nil])
        #expect(other.invalidValues.map(\.entity) == ["Resident"])
        #expect(other.invalidValues.map(\.property) == ["home.mood"])
    }

    @Test func aLeafThatIsNotANumberIsRefused() throws {
        let resident = Resident(home: PostalAddress(position: Coordinate()), name: "name")
        context.insert(resident)
        try context.save()
        resident.home?.position?.latitude = .nan
        #expect { try context.save() } throws: { isValidation($0, ["home.position.latitude"], .notANumber) }
        resident.home?.position = Coordinate(altitude: .nan)
        #expect { try context.save() } throws: { isValidation($0, ["home.position.altitude"], .notANumber) }
        // The leaves of a composite that is nil are not validated.
        resident.home = nil
        try context.save()
    }
}
