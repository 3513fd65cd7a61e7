import Foundation
import RandomNumbers
import RandomSeeds
import Testing

@testable import Ashlar

/// The values of an object before its first change are kept in two ways: of one column, or of all. Both always give
/// the same result as a copy of all values that was made before.
@Suite struct OriginalValuesTests {
    private static let texts = ["", "a", "e\u{301}", "\u{e9}", String(repeating: "long ", count: 40)]

    /// An object of random values; some of them are the same in many objects.
    private func everything(_ random: inout SeededGenerator) -> Everything {
        let number = Int.random(in: -2...2, using: &random)
        let text = Self.texts.randomElement(using: &random) ?? ""
        let object = Everything(
            address: Address(street: text, numbers: [number]), binary: Data(text.utf8), boolean: number > 0,
            date: Date(timeIntervalSinceReferenceDate: Double(number)),
            decimal: Decimal(number) / 7, double: Double(number) / 3, float: Float(number), integer16: Int16(number),
            integer32: Int32(number), integer64: Int64(number), level: .low,
            mood: .calm, palette: [], string: text, uri: URL(fileURLWithPath: "/\(number)"),
            uuid: UUID())
        if Bool.random(using: &random) { return object }
        object.optionalInteger16 = Int16(number)
        object.optionalInteger32 = Int32(number)
        object.optionalInteger64 = Int64(number)
        object.optionalDecimal = Decimal(number)
        object.optionalDouble = Double(number)
        object.optionalFloat = Float(number)
        object.optionalString = text
        object.optionalBoolean = number > 0
        object.optionalDate = Date(timeIntervalSinceReferenceDate: Double(number))
        object.optionalUuid = UUID()
        object.optionalLevel = .low
        return object
    }

    private func paths(_ entity: EntityDescription) -> [String] {
        entity.ownColumns.map { entity.columns[$0].property }.filter { !$0.contains(".") }
    }

    @Test(arguments: seeds(4))
    func keptOfOneColumnOrOfAll(_ seed: Seed) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<60 * TestEffort.factor {
            let context = try memoryContext()
            let object = everything(&random)
            context.insert(object)
            try context.save()
            let paths = paths(object.entity)
            let before = object.snapshot()
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let path = try #require(paths.randomElement(using: &random))
                try object.setValue(everything(&random).value(forKeyPath: path), forKeyPath: path)
                #expect(object.changesFromOriginal == object.changes(since: before, in: object.changes), "\(path)")
                if Bool.random(using: &random) {
                    let committed = try #require(object.committedValues)
                    #expect(committed.changes(since: before, in: .max) == 0, "\(path)")
                }
            }
            let after = object.snapshot()
            if Bool.random(using: &random) {
                context.rollback()
                #expect(object.changes(since: before, in: .max) == 0 && !context.hasChanges)
            } else {
                try context.save()
                let other = ModelContext(context.container)
                let read: Everything = try other.model(for: object.persistentModelID)
                #expect(read.changes(since: after, in: .max) == 0 && object.record.original.isEmpty)
            }
        }
    }

    @Test func oneNumberIsKeptWithoutTheOtherValues() throws {
        let context = try memoryContext()
        var random = SeededGenerator(seed: 1)
        let object = everything(&random)
        context.insert(object)
        try context.save()
        func isOne() -> Bool { if case .one = object.record.original { true } else { false } }
        object.integer64 += 1
        object.integer64 += 1
        #expect(isOne() && object.changedProperties == ["integer64"])
        object.integer64 -= 2
        #expect(object.changesFromOriginal == 0)
        object.string += "more"
        #expect(!isOne() && object.changedProperties == ["string"])
    }

    @Test func aPrimitiveValueIsTakenBackWithAChange() throws {
        let context = try memoryContext()
        var random = SeededGenerator(seed: 2)
        let object = everything(&random)
        object.double = 1
        context.insert(object)
        try context.save()
        object.integer64 += 1
        object.setPrimitiveValue(2, for: \.double)
        context.rollback()
        #expect(object.double == 1)
    }
}
