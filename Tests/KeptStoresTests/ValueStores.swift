import Ashlar
import Foundation
import Testing

/// The raw values of an attribute.
nonisolated enum Mood: String, Codable, Sendable {
    case calm, furious
}

/// Attributes of all types, with and without a value.
enum KindsStore: KeptStore {
    static var model: any ManagedObjectModel.Type { KindsModel.self }

    private static let identifier = UUID(uuidString: "6F1B2C3D-4E5F-4071-8293-A4B5C6D7E8F9")

    static func fill(_ context: ModelContext) throws {
        context.insert(Sample(name: "empty"))
        let sample = Sample(name: "full")
        sample.archive = ["a", "ö"]
        sample.bytes = Data([0, 1, 255])
        sample.date = Date(timeIntervalSinceReferenceDate: -0.25)
        sample.decimal = Decimal(string: "12345678901234567890.0123")
        sample.double = 1e300
        sample.flag = true
        sample.float = 0.1
        sample.identifier = identifier
        sample.large = .min
        sample.link = URL(string: "https://example.org/a?b=c#d")
        sample.mood = .furious
        sample.number = .max
        sample.small = -1
        context.insert(sample)
    }

    static func check(_ context: ModelContext) throws {
        let samples = try context.fetch(Sample.order { $0.name.ascending })
        try #require(samples.map(\.name) == ["empty", "full"])
        let (empty, full) = (samples[0], samples[1])
        #expect(empty.archive == nil && full.archive == ["a", "ö"])
        #expect(empty.bytes == nil && full.bytes == Data([0, 1, 255]))
        #expect(empty.date == nil && full.date == Date(timeIntervalSinceReferenceDate: -0.25))
        #expect(empty.decimal == nil && full.decimal == Decimal(string: "12345678901234567890.0123"))
        #expect(empty.double == nil && full.double == 1e300)
        #expect(empty.flag == nil && full.flag == true)
        #expect(empty.float == nil && full.float == 0.1)
        #expect(empty.identifier == nil && full.identifier == identifier)
        #expect(empty.large == nil && full.large == .min)
        #expect(empty.link == nil && full.link == URL(string: "https://example.org/a?b=c#d"))
        #expect(empty.mood == nil && full.mood == .furious)
        #expect(empty.number == nil && full.number == .max)
        #expect(empty.small == nil && full.small == -1)
        #expect(try context.fetch(Sample.where { $0.decimal > 5 && $0.mood == .furious }).map(\.name) == ["full"])
    }

    static func edit(_ context: ModelContext) throws {
        for sample in try context.fetch(Sample.all) {
            sample.mood = sample.mood == nil ? .calm : nil
            sample.archive = sample.archive.map { $0 + ["c"] }
        }
    }

    static func checkEdited(_ context: ModelContext) throws {
        let samples = try context.fetch(Sample.order { $0.name.ascending })
        #expect(samples.map(\.mood) == [.calm, nil] && samples.map(\.archive) == [nil, ["a", "ö", "c"]])
    }
}

/// Values in files of their own beside the store.
enum GalleryStore: KeptStore {
    static var model: any ManagedObjectModel.Type { GalleryModel.self }

    private static func bytes(_ count: Int, _ byte: UInt8) -> Data { Data(repeating: byte, count: count) }

    static func configurations(in folder: URL) -> [ModelConfiguration] {
        var configuration = configuration(in: folder)
        configuration.externalStorageThreshold = 1000
        return [configuration]
    }

    static func fill(_ context: ModelContext) throws {
        for (name, original) in [("large", bytes(1500, 1)), ("larger", bytes(1600, 2)), ("small", bytes(10, 3))] {
            let picture = Picture(name: name)
            picture.original = original
            context.insert(picture)
        }
    }

    static func check(_ context: ModelContext) throws {
        let pictures = try context.fetch(Picture.order { $0.name.ascending })
        #expect(pictures.map(\.name) == ["large", "larger", "small"])
        #expect(pictures.map(\.original) == [bytes(1500, 1), bytes(1600, 2), bytes(10, 3)])
    }

    static func edit(_ context: ModelContext) throws {
        let pictures = try context.fetch(Picture.order { $0.name.ascending })
        (pictures[0].original, pictures[2].original) = (nil, bytes(2000, 4))
    }

    static func checkEdited(_ context: ModelContext) throws {
        let pictures = try context.fetch(Picture.order { $0.name.ascending })
        #expect(pictures.map(\.original) == [nil, bytes(1600, 2), bytes(2000, 4)])
    }
}

/// Derived attributes: a copy through a relationship, a canonical text, a count, a sum and a time.
enum PursesStore: KeptStore {
    static var model: any ManagedObjectModel.Type { PursesModel.self }

    static func fill(_ context: ModelContext) throws {
        let purse = Purse(name: "Ännchen Groß")
        context.insert(purse)
        for amount in [5, 7] as [Int64] { purse.payments.append(Payment(amount: amount)) }
        context.insert(Purse(name: "Empty"))
    }

    static func check(_ context: ModelContext) throws {
        let purses = try context.fetch(Purse.order { $0.total.descending })
        #expect(purses.map(\.name) == ["Ännchen Groß", "Empty"])
        #expect(purses.map(\.plainName) == ["annchen gross", "empty"])
        #expect(purses.map(\.total) == [2, 0] && purses.map(\.sum) == [12, 0])
        #expect(purses.allSatisfy { $0.changed.map { $0 > Date(timeIntervalSinceReferenceDate: 0) } ?? false })
        #expect(try context.fetch(Payment.all).map(\.purseName) == ["Ännchen Groß", "Ännchen Groß"])
    }

    static func edit(_ context: ModelContext) throws {
        let purses = try context.fetch(Purse.order { $0.total.descending })
        purses[0].name = "Æ"
        for payment in purses[0].payments where payment.amount == 5 { payment.purse = purses[1] }
        purses[0].payments.append(Payment(amount: 1))
    }

    static func checkEdited(_ context: ModelContext) throws {
        let purses = try context.fetch(Purse.order { $0.total.descending })
        #expect(purses.map(\.total) == [2, 1] && purses.map(\.sum) == [8, 5])
        let payments = try context.fetch(Payment.order { $0.amount.ascending })
        #expect(payments.map(\.purseName) == ["Æ", "Empty", "Æ"])
    }
}

/// Composites within composites, with and without a value.
enum RolodexStore: KeptStore {
    static var model: any ManagedObjectModel.Type { RolodexModel.self }

    static func fill(_ context: ModelContext) throws {
        let ada = Contact(name: "Ada", work: Address(position: Position(latitude: 1, longitude: 2), street: "High"))
        ada.home = Address(street: "Low")
        context.insert(ada)
        context.insert(Contact(name: "Bob", work: Address()))
    }

    static func check(_ context: ModelContext) throws {
        let contacts = try context.fetch(Contact.order { $0.name.ascending })
        #expect(contacts.map(\.name) == ["Ada", "Bob"])
        #expect(contacts.map(\.home) == [Address(street: "Low"), nil])
        let ofAda = Address(position: Position(latitude: 1, longitude: 2), street: "High")
        #expect(contacts.map(\.work) == [ofAda, Address()])
        #expect(try context.fetch(Contact.where { $0.work.position.latitude == 1 }).map(\.name) == ["Ada"])
        #expect(try context.fetch(Contact.where { $0.home == nil }).map(\.name) == ["Bob"])
    }

    static func edit(_ context: ModelContext) throws {
        let contacts = try context.fetch(Contact.order { $0.name.ascending })
        contacts[0].home = nil
        contacts[1].home = Address(position: Position(), street: "New")
        contacts[0].work.street = "Highest"
    }

    static func checkEdited(_ context: ModelContext) throws {
        let contacts = try context.fetch(Contact.order { $0.name.ascending })
        #expect(contacts.map(\.home) == [nil, Address(position: Position(), street: "New")])
        #expect(contacts.map(\.work.street) == ["Highest", ""])
    }
}
