import Foundation
import Testing

@testable import Ashlar

/// Values that are unique according to the model.
@Suite struct UniquenessTests {
    let context: ModelContext

    init() throws { context = try memoryContext() }

    private var container: ModelContainer { context.container }

    @Test("row 20: compound constraints") func compoundConstraints() throws {
        context.insert(Account(bank: "b", email: "a", number: 1))
        context.insert(Account(bank: "b", email: "b", number: 2))
        context.insert(Account(bank: "c", email: "c", number: 1))
        try context.save()
        context.insert(Account(bank: "b", email: "d", number: 2))
        #expect { try context.save() } throws: { error in
            guard case SaveError.notUnique(_, let properties, _) = error else { return false }
            return properties == ["bank", "number"]
        }
        context.rollback()
        // NULL may repeat, and a constraint of one entity does not apply to its siblings.
        for name in ["x", "y"] { context.insert(Truck(name: name, load: 1)) }
        try context.save()
    }

    private func accounts(_ names: String...) throws -> [Account] {
        let accounts = names.enumerated().map {
            Account(bank: "b", email: $0.element, nickname: $0.element, number: Int64($0.offset))
        }
        for account in accounts { context.insert(account) }
        try context.save()
        return accounts
    }

    private func stored(_ property: String) throws -> String? {
        try container.text("SELECT group_concat(\(property)) FROM (SELECT * FROM Account ORDER BY \"id$\")")
    }

    @Test func valuesAreExchanged() throws {
        let accounts = try accounts("a", "b", "c")
        swap(&accounts[0].email, &accounts[1].email)
        swap(&accounts[0].nickname, &accounts[2].nickname)
        let numbers = accounts.map(\.number)
        for (index, account) in accounts.enumerated() { account.number = numbers[(index + 1) % 3] }
        try context.save()
        #expect(try stored("email") == "b,a,c" && stored("nickname") == "c,b,a" && stored("number") == "1,2,0")
        try container.expectSound()
        // The rows' versions equal those of the objects.
        accounts[0].email = "again"
        try context.save()
    }

    @Test("row 177: values are freed by deletions and reused") func valuesAreFreedByDeletionsAndReused() throws {
        let accounts = try accounts("a", "b")
        context.delete(accounts[0])
        accounts[1].email = "a"
        accounts[1].holder = Person(name: "makes this a change of a reference, which comes before the deletions")
        context.insert(Account(email: "b", number: 7))
        try context.save()
        #expect(try stored("email") == "a,b")
    }

    @Test func aDuplicateAmongChangesIsStillRefused() throws {
        let accounts = try accounts("a", "b", "c")
        accounts[0].email = "b"
        accounts[1].email = "x"
        accounts[2].email = "b"
        #expect { try context.save() } throws: { if case SaveError.notUnique = $0 { true } else { false } }
        #expect(try stored("email") == "a,b,c")
        accounts[2].email = "c"
        try context.save()
        #expect(try stored("email") == "b,x,c")
    }
}
