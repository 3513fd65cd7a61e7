import AshlarSQLite
import Foundation
import RandomSeeds
import Testing

@testable import Ashlar

/// Decimal numbers are stored exactly and sorted as numbers.
@Suite struct DecimalTests {
    private static let texts = [
        "0", "1", "-1", "0.1", "-0.1", "0.10000000000000000001", "9.99", "10", "10.5", "-10.5", "100", "1000000", "0.5",
        "99999999999999999999999999999999999999", "-99999999999999999999999999999999999999",
        "123456789012345678.123456789",
        "12345678901234567890123456789012345678", "0.00000000000000000000000000000000000001", "-3", "-2.99", "-3.01",
    ]

    private static var decimals: [Decimal] {
        let extremes = [
            Decimal.greatestFiniteMagnitude, -Decimal.greatestFiniteMagnitude, Decimal.leastNonzeroMagnitude,
            Decimal(sign: .plus, exponent: 100, significand: 3), Decimal(sign: .plus, exponent: -100, significand: 3),
        ]
        return texts.compactMap { Decimal(string: $0) } + extremes
    }

    @Test(arguments: seeds(1)) func exactAndInOrder(seed: Seed) throws {
        var random = SeededGenerator(seed: seed)
        let context = try memoryContext()
        for (index, value) in Self.decimals.shuffled(using: &random).enumerated() {
            context.insert(Account(balance: value, email: "\(index)", number: Int64(index)))
        }
        try context.save()
        let read = try ModelContext(context.container).fetch(Account.order { $0.balance.ascending })
        #expect(read.map(\.balance) == Self.decimals.sorted())
        for value in Self.decimals {
            #expect(
                try context.fetchCount(Account.where { $0.balance < value })
                    == Self.decimals.filter { $0 < value }.count)
            #expect(try context.fetchCount(Account.where { $0.balance == value }) == 1, "\(value)")
        }
    }

    /// An equal number is found even if another program wrote it in other digits.
    @Test func equalInOtherDigits() throws {
        let context = try memoryContext()
        context.insert(Account(balance: 12.5, email: "a"))
        try context.save()
        try context.container.execute("UPDATE Account SET balance = '0012.5000'")
        #expect(try context.fetchCount(Account.where { $0.balance == Decimal(string: "12.50")! }) == 1)
        #expect(try ModelContext(context.container).fetch(Account.all).first?.balance == 12.5)
    }

    @Test(arguments: [
        ("0", "-0", 0), ("0.0", "0", 0), ("00", "0.00", 0), ("1", "1.0", 0), ("-1", "1", -1), ("2", "10", -1),
        ("-2", "-10", 1), ("0.1", "0.09", 1), ("1.5", "1.45", 1), ("-1.5", "-1.45", -1), (".5", "0.5", 0),
        ("5.", "5", 0),
        ("+3", "3", 0), ("", "0", 0),
    ])
    func collation(_ left: String, _ right: String, _ order: Int) {
        #expect(DecimalCollation.compare(left, right).signum() == order)
        #expect(DecimalCollation.compare(right, left).signum() == -order)
    }

    @Test func notANumberIsRefused() throws {
        let context = try memoryContext()
        context.insert(Account(balance: .nan, email: "a"))
        #expect { try context.save() } throws: { isValidation($0, ["balance"], .notANumber) }
    }
}
