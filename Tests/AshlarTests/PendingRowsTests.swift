import AshlarSQLite
import Foundation
import RandomSeeds
import Synchronization
import Testing

@_spi(Generated) @testable import Ashlar

/// Changes and deletions of many rows, which one statement writes together.
@Suite struct PendingRowsTests {
    private let context: ModelContext

    init() throws { context = try memoryContext() }

    private var container: ModelContainer { context.container }

    private func accounts(_ count: Int = 40) throws -> [Account] {
        let accounts = (0..<count).map { Account(email: "\($0)", number: Int64($0)) }
        for account in accounts { context.insert(account) }
        try context.save()
        return accounts
    }

    /// The rows in the store, with their versions.
    private func stored() throws -> [String] {
        try container.pool.read { connection in
            try connection.rows("SELECT email, balance, number, \"version$\" FROM Account ORDER BY number")
                .map { "\($0)" }
        }
    }

    /// Counts the statements that a closure runs.
    private func runs(_ body: () throws -> Void) throws -> Int {
        let before = try container.pool.write { $0.runs.count }
        try body()
        return try container.pool.write { $0.runs.count } - before
    }

    private func names(_ error: any Error, _ objects: [ManagedObject]) -> Bool {
        guard case SaveError.conflict(let conflicts) = error else { return false }
        return Set(conflicts.map(\.object)) == Set(objects.map(\.identifier)) && conflicts.count == objects.count
    }

    // MARK: Rows that are written together

    @Test func rowsThatAreCloseToEachOther() throws {
        let accounts = try accounts(200)
        for account in accounts { account.balance = 1 }
        #expect(try runs { try context.save() } < 20)
        // In gaps of the greatest width, and in wider ones.
        for account in accounts where account.number % 4 == 0 { account.balance = 4 }
        #expect(try runs { try context.save() } < 10)
        for account in accounts where account.number % 5 == 0 { account.balance = 5 }
        #expect(try runs { try context.save() } >= 40)
        for (index, values) in try ModelContext(container).fetchValues(Account.order { $0.number.ascending })
            .enumerated()
        {
            #expect(values.balance == (index % 5 == 0 ? 5 : index % 4 == 0 ? 4 : 1))
        }
        for account in accounts where account.number < 100 { context.delete(account) }
        #expect(try runs { try context.save() } < 10)
        #expect(try container.integer("SELECT min(number) FROM Account") == 100)
    }

    @Test(arguments: seeds(1)) func moreRowsThanOneStatementTakes(seed: Seed) throws {
        var random = SeededGenerator(seed: seed)
        let accounts = try accounts(PendingRows.greatestCount * 2 + 7)
        for account in accounts.shuffled(using: &random) { account.balance = Decimal(account.number) / 8 + 1 }
        try context.save()
        for account in accounts { account.balance *= 2 }
        try context.save()
        #expect(try container.integer("SELECT count(*) FROM Account WHERE \"version$\" = 3") == Int64(accounts.count))
        let read = try ModelContext(container).fetchValues(Account.all)
        #expect(read.allSatisfy { $0.balance == Decimal($0.number) / 4 + 2 })
    }

    /// Rows of other entities lie between those that change.
    @Test func rowsOfOtherEntities() throws {
        var vehicles: [Vehicle] = []
        for index in 0..<60 {
            let vehicle: Vehicle = index % 2 == 0 ? Car(name: "car") : Boat(name: "boat")
            context.insert(vehicle)
            vehicles.append(vehicle)
        }
        try context.save()
        for case let car as Car in vehicles { (car.name, car.doors) = ("changed", 2) }
        #expect(try runs { try context.save() } < 10)
        let read = try ModelContext(container).fetch(Vehicle.all)
        #expect(read.allSatisfy { $0 is Car ? $0.name == "changed" : $0.name == "boat" })
        for case let boat as Boat in vehicles { context.delete(boat) }
        #expect(try runs { try context.save() } < 10)
        #expect(try ModelContext(container).fetchCount(Vehicle.all) == 30)
    }

    @Test(arguments: [1, Int.max]) func valuesOfAllTypes(_ leastPendingRows: Int) throws {
        try container.pool.write { $0.state.leastPendingRows = leastPendingRows }
        let objects = (0..<20).map { _ in
            Everything(
                address: Address(street: "", numbers: []), binary: Data(), boolean: false,
                date: Date(timeIntervalSinceReferenceDate: 0), decimal: 0, double: 0, float: 0, integer16: 0,
                integer32: 0, integer64: 0, level: .low,
                mood: .calm, palette: [], string: "", uri: URL(fileURLWithPath: "/"),
                uuid: UUID())
        }
        for object in objects { context.insert(object) }
        try context.save()
        for step in 0..<Self.changeCount {
            for (index, object) in objects.enumerated() { try change(object, index, step) }
            try context.save()
            let read = try ModelContext(container).fetch(Everything.all)
            #expect(read.map(\.values) == objects.map(\.values))
        }
    }

    private static let changeCount = 31

    /// Gives a property of an object the value of an index.
    private func change(_ object: Everything, _ index: Int, _ step: Int) throws {
        let isEven = index % 2 == 0
        switch step {
        case 0: object.integer16 = Int16(index)
        case 1: object.integer32 = Int32(index)
        case 2: object.integer64 = .max - Int64(index)
        case 3: object.decimal = Decimal(index) / 7
        case 4: object.double = index == 3 ? .infinity : Double(index) / 3
        case 5: object.float = Float(index) / 3
        case 6: object.string = index == 2 ? "a\0b" : index == 3 ? "" : "ß\(index)"
        case 7: object.boolean = isEven
        case 8: object.date += Double(index)
        case 9: object.binary = Data(repeating: 7, count: index)
        case 10: object.binary = index == 5 ? Data("ashlar$data:and what comes after".utf8) : Data()
        case 11: object.uuid = UUID()
        case 12: object.uri = try #require(URL(string: "https://example.org/\(index)"))
        case 13: object.palette = [PaletteTransformer.Color(red: UInt8(index), green: 0, blue: 0)]
        case 14: object.mood = isEven ? .quoted : .furious
        case 15: object.level = .high
        case 16: object.address.numbers = [index]
        case 17: object.optionalInteger16 = isEven ? nil : 1
        case 18: object.optionalInteger32 = isEven ? nil : 1
        case 19: object.optionalInteger64 = isEven ? nil : 1
        case 20: object.optionalDecimal = isEven ? nil : 1.5
        case 21: object.optionalDouble = isEven ? nil : 1
        case 22: object.optionalFloat = isEven ? nil : 1
        case 23: object.optionalString = isEven ? nil : ""
        case 24: object.optionalBoolean = isEven ? nil : true
        case 25: object.optionalDate = isEven ? nil : .distantPast
        case 26: object.optionalBinary = isEven ? nil : Data()
        case 27: (object.optionalUuid, object.optionalUri) = isEven ? (nil, nil) : (UUID(), object.uri)
        case 28: (object.optionalMood, object.optionalLevel) = isEven ? (nil, nil) : (.calm, .middle)
        case 29: object.optionalAddress = isEven ? nil : object.address
        default: (object.optionalDefaultDate, object.optionalDefaultUri, object.optionalDefaultMood) = (nil, nil, nil)
        }
    }

    @Test func referencesToNewObjects() throws {
        let accounts = try accounts()
        let people = [Person(name: "a", passport: nil), Person(name: "b", passport: nil)]
        for account in accounts { account.holder = people[Int(account.number % 2)] }
        try context.save()
        let other = ModelContext(container)
        let read = try other.fetch(Account.all)
        #expect(read.allSatisfy { $0.holder?.name == ($0.number % 2 == 0 ? "a" : "b") })
        for account in accounts where account.number > 3 { account.holder = nil }
        try context.save()
        #expect(try container.integer("SELECT count(holder) FROM Account") == 4)
        try container.expectSound()
    }

    @Test func historyHasEachRow() throws {
        let container = try ModelContainer(
            for: PhotoFeedModel.self,
            configurations: ModelConfiguration(isStoredInMemoryOnly: true, options: StoreOptions(historyTracking: true))
        )
        let context = ModelContext(container)
        let posts = (0..<40).map { Post(timestamp: .distantPast, title: "\($0)") }
        for post in posts { context.insert(post) }
        try context.save()
        for post in posts { post.likes = 7 }
        try context.save()
        for post in posts { context.delete(post) }
        try context.save()
        let texts = HistoryTests.texts(try container.fetchHistory(.all))
        try #require(texts.count == 3)
        #expect(texts[1] == (1...40).map { "update Post \($0) likes" })
        #expect(texts[2].sorted() == (1...40).map { "delete Post \($0)" }.sorted())
    }

    // MARK: Refused rows

    @Test func conflictsNameTheirRows() throws {
        let accounts = try accounts()
        for account in accounts { account.balance = 7 }
        try container.execute(
            "UPDATE Account SET \"version$\" = 9 WHERE number IN (7, 39); DELETE FROM Account WHERE number = 0")
        let before = try stored()
        #expect { try context.save() } throws: { names($0, [accounts[0], accounts[7], accounts[39]]) }
        #expect(try stored() == before)
        context.mergePolicy = .mergeByPropertyObjectTrump
        try context.save()
        #expect(try container.integer("SELECT count(*) FROM Account WHERE balance = '7'") == 40)
        #expect(try container.integer("SELECT \"version$\" FROM Account WHERE number = 7") == 10)
    }

    @Test func deletionsOfRowsThatOthersChanged() throws {
        let accounts = try accounts()
        for account in accounts { context.delete(account) }
        // A row that is deleted already does not conflict.
        try container.execute(
            "UPDATE Account SET \"version$\" = 9 WHERE number = 7; DELETE FROM Account WHERE number = 0")
        #expect { try context.save() } throws: { names($0, [accounts[7]]) }
        #expect(try stored().count == 39)
        context.mergePolicy = .overwrite
        try context.save()
        #expect(try stored().isEmpty)
    }

    @Test func aValueThatIsTakenIsNamed() throws {
        let accounts = try accounts()
        context.insert(Account(email: "taken", number: 40))
        try context.save()
        let before = try stored()
        for account in accounts { account.email = account.number == 33 ? "taken" : "new \(account.number)" }
        let identifier = accounts[33].persistentModelID
        #expect { try context.save() } throws: { error in
            guard case SaveError.notUnique(identifier, ["email"], _) = error else { return false }
            return true
        }
        #expect(try stored() == before)
        accounts[33].email = "free"
        try context.save()
        #expect(try container.integer("SELECT count(*) FROM Account WHERE email LIKE 'new %'") == 39)
    }

    @Test func exchangedValues() throws {
        let accounts = try accounts()
        for account in accounts { account.email = "\((account.number + 1) % 40)" }
        try context.save()
        let read = try ModelContext(container).fetch(Account.all)
        #expect(read.allSatisfy { $0.email == "\(($0.number + 1) % 40)" })
    }

    /// The subentity's column may be NULL, but its value may not, so NaN is invalid.
    @Test func aNumberThatIsNone() throws {
        let trucks = (0..<40).map { Truck(name: "\($0)", load: 1) }
        for truck in trucks { context.insert(truck) }
        try context.save()
        for (index, truck) in trucks.enumerated() { truck.load = index == 20 ? .nan : 2 }
        let identifier = trucks[20].persistentModelID
        #expect { try context.save() } throws: { error in
            guard case SaveError.validation(let failures) = error else { return false }
            return failures.map(\.property) == ["load"] && failures.map(\.object) == [identifier]
                && failures.map(\.rule) == [.notANumber]
        }
        #expect(try ModelContext(container).fetch(Truck.all).allSatisfy { $0.load == 1 })
        trucks[20].load = 2
        try context.save()
        #expect(try ModelContext(container).fetch(Truck.all).allSatisfy { $0.load == 2 })
    }

    /// A trigger that was added by hand has the same effect on one of many rows as if they were written one by one.
    @Test(arguments: ["ABORT", "FAIL", "ROLLBACK"], ["UPDATE", "DELETE", "INSERT"])
    func aTriggerThatRefusesARow(_ action: String, _ event: String) throws {
        var accounts = try accounts()
        let isInsertion = event == "INSERT"
        try container.execute(
            """
            CREATE TRIGGER mine BEFORE \(event) ON Account WHEN \(isInsertion ? "NEW.number = 121" : "OLD.number = 21")
            BEGIN SELECT RAISE(\(action), 'not this one'); END
            """)
        let before = try stored()
        if isInsertion { accounts = (0..<40).map { Account(email: "new \($0)", number: Int64(100 + $0)) } }
        for account in accounts {
            switch event {
            case "UPDATE": account.balance = 7
            case "DELETE": context.delete(account)
            default: context.insert(account)
            }
        }
        let identifier = accounts[21].persistentModelID
        #expect { try context.save() } throws: { error in
            guard case SaveError.constraint(let object, _) = error else { return false }
            return action != "ABORT" || object == identifier
        }
        #expect(try stored() == before)
        try container.execute("DROP TRIGGER mine")
        try context.save()
        let count = try container.integer("SELECT count(*) FROM Account WHERE balance = '0'")
        #expect(count == (isInsertion ? 80 : 0))
    }

    /// Observers that receive statements with their values find the values of all rows in them.
    @Test func observersSeeTheValues() throws {
        let texts = Mutex<[String]>([])
        var configuration = ModelConfiguration(isStoredInMemoryOnly: true)
        configuration.statementObserver = StatementObserver(level: .values) { event in
            texts.withLock { $0.append(event.expandedSQL ?? "") }
        }
        let context = ModelContext(try ModelContainer(for: TortureModel.self, configurations: configuration))
        let accounts = (0..<20).map { Account(email: "\($0)", number: $0) }
        for account in accounts { context.insert(account) }
        try context.save()
        for account in accounts { account.balance = Decimal(account.number + 1000) }
        try context.save()
        let updates = texts.withLock { $0.filter { $0.hasPrefix("UPDATE \"Account\"") } }
        #expect(updates.count == 20 && updates.allSatisfy { $0.contains("'10") })
    }

    @Test(arguments: ["UPDATE", "DELETE"]) func aTriggerThatLeavesARowAsItIs(_ event: String) throws {
        let accounts = try accounts()
        try container.execute(
            "CREATE TRIGGER mine BEFORE \(event) ON Account WHEN OLD.number = 21 BEGIN SELECT RAISE(IGNORE); END")
        for account in accounts {
            if event == "UPDATE" { account.balance = 7 } else { context.delete(account) }
        }
        let before = try stored()
        #expect { try context.save() } throws: { names($0, [accounts[21]]) }
        #expect(try stored() == before)
    }
}
