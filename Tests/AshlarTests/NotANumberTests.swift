import AshlarCoreData
import Foundation
import Testing

@testable import Ashlar

/// NaN values, which SQLite keeps as NULL.
@Suite struct NotANumberTests {
    private let context: ModelContext
    private let objects: [Everything]

    init() throws {
        context = try memoryContext()
        objects = (0..<12).map { _ in Self.everything() }
        for object in objects { context.insert(object) }
        try context.save()
    }

    private static func everything() -> Everything {
        Everything(
            address: Address(street: "", numbers: []), binary: Data(), boolean: false,
            date: Date(timeIntervalSinceReferenceDate: 0), decimal: 0, double: 0, float: 0, integer16: 0,
            integer32: 0, integer64: 0, level: .low, mood: .calm,
            palette: [], string: "", uri: URL(fileURLWithPath: "/"), uuid: UUID())
    }

    struct Place: Sendable, CustomStringConvertible {
        var description: String
        var set: @Sendable (Everything) -> Void
    }

    private static let nowhen = Date(timeIntervalSinceReferenceDate: .nan)

    static let places = [
        Place(description: "double") { $0.double = .nan },
        Place(description: "optionalDouble") { $0.optionalDouble = .signalingNaN },
        Place(description: "float") { $0.float = .nan },
        Place(description: "optionalFloat") { $0.optionalFloat = .nan },
        Place(description: "date") { $0.date = nowhen },
        Place(description: "optionalDate") { $0.optionalDate = nowhen },
        Place(description: "decimal") { $0.decimal = .nan },
        Place(description: "optionalDecimal") { $0.optionalDecimal = .nan },
    ]

    @Test("row 126: a value that is not a number is named, and nothing is saved", arguments: places)
    func isNamed(_ place: Place) throws {
        // New objects, changed ones, and several that are written by one statement.
        let new = Self.everything()
        place.set(new)
        context.insert(new)
        #expect { try context.save() } throws: { isValidation($0, [place.description], .notANumber) }
        context.rollback()
        place.set(objects[3])
        #expect { try context.save() } throws: { error in
            guard case SaveError.validation(let failures) = error else { return false }
            return failures.map(\.object) == [objects[3].persistentModelID] && failures.map(\.code) == [1550]
        }
        for object in objects { place.set(object) }
        let names = objects.map { _ in place.description }
        #expect { try context.save() } throws: { isValidation($0, names, .notANumber) }
        context.rollback()
        #expect(!context.hasChanges)
        #expect(try ModelContext(context.container).fetchCount(Everything.all) == 12)
        // A child context passes nothing to its parent that cannot be saved.
        let child = ModelContext(parent: context)
        let twin: Everything = try child.model(for: objects[0].persistentModelID)
        place.set(twin)
        #expect { try child.save() } throws: { isValidation($0, [place.description], .notANumber) }
        #expect(!context.hasChanges)
        // Setting the same value again changes nothing.
        place.set(objects[0])
        let before = objects[0].snapshot()
        place.set(objects[0])
        #expect(objects[0].changes(since: before, in: .max) == 0)
    }

    @Test func allFailuresAreTold() throws {
        let context = try studioContext()
        let product = Product(name: "V", rating: .nan)
        context.insert(product)
        #expect {
            try context.save()
        } throws: { error in
            guard case SaveError.validation(let failures) = error else { return false }
            return failures.map(\.rule) == [.tooShort(minimum: 2), .notANumber]
        }
    }

    @Test func batchesRefuseIt() throws {
        #expect {
            try context.batchUpdate(Everything.all) { $0.optionalDouble = .nan }
        } throws: { error in
            guard case BatchError.invalidValue(let failure) = error else { return false }
            return failure.property == "optionalDouble" && failure.rule == .notANumber
        }
        #expect {
            try context.batchUpdate(Everything.all) { $0.decimal = .nan }
        } throws: { error in
            guard case BatchError.invalidValue(let failure) = error else { return false }
            return failure.property == "decimal" && failure.rule == .notANumber
        }
        var values = (0..<40).map { _ in Self.everything().values }
        values[17].optionalDate = Self.nowhen
        #expect {
            try context.batchInsert(contentsOf: values)
        } throws: { error in
            guard case BatchError.invalidValue(let failure) = error else { return false }
            return failure.property == "optionalDate" && failure.rule == .notANumber && failure.row == 17
        }
        #expect(try context.fetchCount(Everything.all) == 12)
    }

    /// NaN equals nothing, as in Swift. It does not equal nil either, although SQLite stores it as NULL.
    @Test(arguments: [false, true]) func conditions(_ isPending: Bool) throws {
        for object in objects { (object.optionalDouble, object.optionalDecimal) = (nil, nil) }
        if !isPending { try context.save() }
        func count(_ condition: (Columns<Everything>) -> Condition) throws -> Int {
            try context.fetch(Everything.where(condition)).count
        }
        for _ in 0..<2 {
            #expect(try count { $0.optionalDouble == nil } == 12)
            #expect(try count { $0.optionalDouble == .nan } == 0)
            #expect(try count { $0.optionalDouble != .nan } == 12)
            #expect(try count { $0.double < .nan } == 0)
            #expect(try count { !($0.double < .nan) } == 12)
            #expect(try count { $0.optionalDouble.isIn([.nan]) } == 0)
            #expect(try count { $0.optionalDouble.isIn([nil, .nan]) } == 12)
            #expect(try count { $0.optionalDecimal == .nan } == 0)
            #expect(try count { $0.optionalDate == Self.nowhen } == 0)
            #expect(
                try context.fetch(FetchDescriptor<Everything>(format: "optionalDouble == %@", Double.nan)).count == 0)
            #expect(
                try context.fetch(FetchDescriptor<Everything>(format: "optionalDecimal == %@", Decimal.nan)).count == 0)
        }
    }

    /// A hook that changes nothing is not blamed.
    @Test func aHookThatChangesNothingIsNotBlamed() throws {
        let context = try studioContext()
        let tool = Tool(length: .nan, name: "t")
        context.insert(tool)
        #expect { try context.save() } throws: { isValidation($0, ["length"], .notANumber) }
        tool.length = nil
        try context.save()
    }
}
