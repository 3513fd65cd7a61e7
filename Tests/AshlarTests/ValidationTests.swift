import Foundation
import Testing

@testable import Ashlar

/// Each save checks the bounds of the model.
@Suite struct ValidationTests {
    let context: ModelContext

    init() throws { context = try studioContext() }

    private func failures() -> [ValidationFailure] {
        do {
            try context.save()
            return []
        } catch SaveError.validation(let failures) {
            return failures
        } catch {
            Issue.record("\(error)")
            return []
        }
    }

    private func product() -> Product {
        let product = Product(name: "Vase")
        context.insert(product)
        return product
    }

    struct Bound: Sendable, CustomStringConvertible {
        var description: String
        var code: Int
        var isBroken: Bool
        var change: @Sendable (Product) -> Void
    }

    static let bounds: [Bound] = [
        Bound(description: "short", code: 1670, isBroken: true) { $0.name = "V" },
        Bound(description: "just long enough", code: 1670, isBroken: false) { $0.name = "Va" },
        Bound(description: "long in UTF-16", code: 1660, isBroken: true) { $0.name = "👩‍👩‍👧‍👦" },
        Bound(description: "just short enough", code: 1660, isBroken: false) { $0.name = "1234567890" },
        Bound(description: "pattern in part", code: 1680, isBroken: true) { $0.code = "AB12 " },
        Bound(description: "pattern, second alternative", code: 1680, isBroken: false) { $0.code = "AB12" },
        Bound(description: "pattern before a line break", code: 1680, isBroken: true) { $0.code = "AB\n" },
        Bound(description: "nil keeps a pattern", code: 1680, isBroken: false) { $0.code = nil },
        Bound(description: "small decimal", code: 1620, isBroken: true) { $0.price = Decimal(string: "0.49")! },
        // Compared as text, 9 would be greater than 1000.
        Bound(description: "decimal between", code: 1610, isBroken: false) { $0.price = 9 },
        Bound(description: "great decimal", code: 1610, isBroken: true) { $0.price = Decimal(string: "1000.01")! },
        Bound(description: "small integer", code: 1620, isBroken: true) { $0.stock = -1 },
        Bound(description: "great integer", code: 1610, isBroken: true) { $0.stock = 101 },
        Bound(description: "integer at its bound", code: 1610, isBroken: false) { $0.stock = 100 },
        Bound(description: "small double", code: 1620, isBroken: true) { $0.rating = 0.4999 },
        Bound(description: "great double", code: 1610, isBroken: true) { $0.rating = 5.1 },
        Bound(description: "early date", code: 1640, isBroken: true) {
            $0.released = Date(timeIntervalSinceReferenceDate: -1)
        },
        Bound(description: "late date", code: 1630, isBroken: true) { $0.released = .distantFuture },
    ]

    @Test("rows 6, 128: each bound", arguments: bounds) func eachBound(_ bound: Bound) throws {
        let product = product()
        bound.change(product)
        let found = failures()
        #expect(found.map(\.code) == (bound.isBroken ? [bound.code] : []))
        if bound.isBroken {
            #expect(found.first?.object == product.persistentModelID && found.first?.value != nil)
            #expect(product.isInserted)
            #expect(try context.fetched(Product.self).isEmpty)
        }
    }

    @Test("row 126: all findings come in one error") func allFindingsComeInOneError() throws {
        let bad = product()
        bad.name = ""
        bad.stock = 1000
        let worse = product()
        worse.code = "?"
        let found = failures()
        #expect(found.map(\.property) == ["name", "stock", "code"])
        #expect(found.map(\.object) == [bad, bad, worse].map(\.persistentModelID))
        #expect("\(SaveError.validation(found))".contains("Product.stock"))
    }

    @Test("row 126: a changed object is checked") func aChangedObjectIsChecked() throws {
        let product = product()
        #expect(failures().isEmpty)
        product.stock = -5
        #expect(failures().map(\.rule) == [.belowMinimum(.integer(0))])
        product.stock = 5
        #expect(failures().isEmpty)
    }

    // MARK: Counts

    /// An optional relationship may be empty. Otherwise, it needs at least the minimum of members.
    @Test("row 15: counts", arguments: [(0, nil), (1, 1580), (2, nil), (3, nil), (4, 1590)] as [(Int, Int?)])
    func counts(_ count: Int, _ code: Int?) throws {
        let product = product()
        for index in 0..<count { product.parts.append(Part(name: "\(index)")) }
        #expect(failures().map(\.code) == (code.map { [$0] } ?? []))
    }

    @Test func countsChangeAtTheOtherEnd() throws {
        let first = product()
        let second = product()
        let parts = (0..<3).map { Part(name: "\($0)", product: first) }
        for part in parts { context.insert(part) }
        #expect(failures().isEmpty)
        let other = ModelContext(context.container)
        // In a context with the part alone: the store counts the parts of its product.
        let part: Part = try other.model(for: parts[0].persistentModelID)
        part.product = try other.model(for: second.persistentModelID)
        #expect { try other.save() } throws: { isValidation($0, ["parts"], .tooFewObjects(minimum: 2)) }
        let another: Part = try other.model(for: parts[1].persistentModelID)
        another.product = part.product
        #expect { try other.save() } throws: { isValidation($0, ["parts"], .tooFewObjects(minimum: 2)) }
        let third: Part = try other.model(for: parts[2].persistentModelID)
        third.product = part.product
        try other.save()
    }

    /// Counts are bounded only where the model says so, as in Core Data: a required relationship may be empty.
    @Test("row 15: a required relationship to many may be empty") func aRequiredToManyRelationship() throws {
        let supplier = Supplier(name: "s")
        context.insert(supplier)
        #expect(failures().isEmpty)
        let product = product()
        product.supplier = supplier
        #expect(failures().isEmpty)
        context.delete(product)
        #expect(failures().isEmpty)
        let other = ModelContext(context.container)
        #expect(try other.fetch(Supplier.all).map(\.products.count) == [0])
    }

    @Test("row 15: a required relationship with a minimum") func aRequiredToManyRelationshipWithAMinimum() throws {
        let toolbox = Toolbox(name: "c")
        context.insert(toolbox)
        #expect(failures().map(\.rule) == [.tooFewObjects(minimum: 1)])
        let tools = (0..<3).map { Tool(name: "\($0)", toolbox: toolbox) }
        #expect(failures().map(\.rule) == [.tooManyObjects(maximum: 2)])
        tools[2].toolbox = nil
        #expect(failures().isEmpty)
        for tool in tools { context.delete(tool) }
        #expect(failures().map(\.entity) == ["Toolbox"])
        context.delete(toolbox)
        #expect(failures().isEmpty)
    }
}
