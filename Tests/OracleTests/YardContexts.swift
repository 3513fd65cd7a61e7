import Ashlar

/// An object of a yard, by key.
protocol YardObject: PersistentModel {
    var key: Int64 { get set }
    var points: Int64 { get set }
}

extension Guild: YardObject {}
extension Crew: YardObject {}
extension Keeper: YardObject {}
extension Locker: YardObject {}
extension Craft: YardObject {}
extension Chore: YardObject {}
extension Route: YardObject {}

/// The objects of a context as a yard, and the contradictions between the sides of relationships.
struct YardReading {
    var yard = Yard()
    var problems: [String] = []
    var identifiers: [PersistentIdentifier: String] = [:]

    init(_ context: ModelContext) throws {
        let guilds = try read(context, .guild, Guild.all)
        let crews = try read(context, .crew, Crew.all)
        let keepers = try read(context, .keeper, Keeper.all)
        let lockers = try read(context, .locker, Locker.all)
        let crafts = try read(context, .craft, Craft.all)
        let chores = try read(context, .chore, Chore.all)
        let routes = try read(context, .route, Route.all)
        for crew in crews { yard.guilds[crew.key] = crew.guild?.key }
        for keeper in keepers {
            yard.crews[keeper.key] = keeper.crew?.key
            yard.lockers[keeper.key] = keeper.locker?.key
            for craft in keeper.crafts { yard.crafts.insert(.init(keeper: keeper.key, craft: craft.key)) }
            if !keeper.chores.isEmpty { yard.chores[keeper.key] = keeper.chores.map(\.key) }
            if !keeper.routes.isEmpty { yard.routes[keeper.key] = keeper.routes.map(\.key) }
            expect("keeper \(keeper.key)'s chores", Set(keeper.chores.map(\.key)).count, keeper.chores.count)
            expect("keeper \(keeper.key)'s routes", Set(keeper.routes.map(\.key)).count, keeper.routes.count)
        }
        let read = yard
        for guild in guilds {
            expect("guild \(guild.key)", guild.crews.map(\.key).sorted(), Self.keys(read.guilds, guild.key))
        }
        for crew in crews {
            expect("crew \(crew.key)", crew.keepers.map(\.key).sorted(), Self.keys(read.crews, crew.key))
        }
        for locker in lockers {
            expect("locker \(locker.key)", [locker.keeper?.key].compactMap(\.self), Self.keys(read.lockers, locker.key))
        }
        for craft in crafts {
            let expected = read.crafts.filter { $0.craft == craft.key }.map(\.keeper)
            expect("craft \(craft.key)", craft.keepers.map(\.key).sorted(), expected.sorted())
        }
        for chore in chores { expect("chore \(chore.key)", chore.owner?.key, read.owner(of: chore.key)) }
        for route in routes {
            let expected = read.routes.filter { $0.value.contains(route.key) }.map(\.key)
            expect("route \(route.key)", route.keepers.map(\.key).sorted(), expected.sorted())
        }
        for (kind, referred) in [
            (Yard.Kind.guild, Set(read.guilds.values)), (.crew, Set(read.crews.values)),
            (.locker, Set(read.lockers.values)), (.craft, Set(read.crafts.map(\.craft))),
            (.chore, Set(read.chores.values.joined())), (.route, Set(read.routes.values.joined())),
        ] {
            expect("\(kind) that no fetch finds", referred.subtracting(read.keys(kind)), [])
        }
    }

    private static func keys(_ references: [Int64: Int64], _ target: Int64) -> [Int64] {
        references.filter { $0.value == target }.map(\.key).sorted()
    }

    private mutating func expect<Value: Equatable>(_ what: String, _ found: Value, _ expected: Value) {
        if found != expected { problems.append("\(what): \(found), not \(expected)") }
    }

    private mutating func read<Model: YardObject>(
        _ context: ModelContext, _ kind: Yard.Kind, _ descriptor: FetchDescriptor<Model>
    ) throws -> [Model] {
        let objects = try context.fetch(descriptor)
        for object in objects {
            if yard.points[kind]?.updateValue(object.points, forKey: object.key) != nil {
                problems.append("\(kind) \(object.key) twice")
            }
            identifiers[object.persistentModelID] = "\(kind) \(object.key)"
        }
        expect("the count of \(kind)", try context.fetchCount(descriptor), objects.count)
        return objects
    }
}

extension ModelContext {
    /// Performs a change of the yard on objects of the context.
    func perform(_ edit: YardEdit) throws {
        switch edit {
        case .insert(let kind, let key, let points):
            switch kind {
            case .guild: insert(Guild(key: key, points: points))
            case .crew: insert(Crew(key: key, points: points))
            case .keeper: insert(Keeper(key: key, points: points))
            case .locker: insert(Locker(key: key, points: points))
            case .craft: insert(Craft(key: key, points: points))
            case .chore: insert(Chore(key: key, points: points))
            case .route: insert(Route(key: key, points: points))
            }
        case .setPoints(let kind, let key, let points): try object(kind, key).points = points
        case .delete(let kind, let key): delete(try object(kind, key))
        case .setGuild(let crew, let guild): try self.crew(crew).guild = try guild.map { try self.guild($0) }
        case .setCrew(let keeper, let crew): try self.keeper(keeper).crew = try crew.map { try self.crew($0) }
        case .addKeeper(let crew, let keeper): try self.crew(crew).keepers.append(try self.keeper(keeper))
        case .removeKeeper(let crew, let keeper): try self.crew(crew).keepers.remove(try self.keeper(keeper))
        case .setLocker(let keeper, let locker): try self.keeper(keeper).locker = try locker.map { try self.locker($0) }
        case .setKeeper(let locker, let keeper): try self.locker(locker).keeper = try keeper.map { try self.keeper($0) }
        case .addCraft(let keeper, let craft, let fromCraft):
            let (keeper, craft) = (try self.keeper(keeper), try self.craft(craft))
            if fromCraft { craft.keepers.append(keeper) } else { keeper.crafts.append(craft) }
        case .removeCraft(let keeper, let craft, let fromCraft):
            let (keeper, craft) = (try self.keeper(keeper), try self.craft(craft))
            if fromCraft { craft.keepers.remove(keeper) } else { keeper.crafts.remove(craft) }
        case .assignCrafts(let keeper, let list):
            try self.keeper(keeper).crafts = ToMany(try list.map { try self.craft($0) })
        case .placeChore(let keeper, let chore, let position):
            try self.keeper(keeper).chores.insert(try self.chore(chore), at: position)
        case .removeChore(let keeper, let chore): try self.keeper(keeper).chores.remove(try self.chore(chore))
        case .assignChores(let keeper, let list):
            try self.keeper(keeper).chores = ToMany(try list.map { try self.chore($0) })
        case .setOwner(let chore, let keeper): try self.chore(chore).owner = try keeper.map { try self.keeper($0) }
        case .placeRoute(let keeper, let route, let position):
            try self.keeper(keeper).routes.insert(try self.route(route), at: position)
        case .removeRoute(let keeper, let route, let fromRoute):
            let (keeper, route) = (try self.keeper(keeper), try self.route(route))
            if fromRoute { route.keepers.remove(keeper) } else { keeper.routes.remove(route) }
        case .assignRoutes(let keeper, let list):
            try self.keeper(keeper).routes = ToMany(try list.map { try self.route($0) })
        case .addKeeperToRoute(let route, let keeper):
            try self.route(route).keepers.append(try self.keeper(keeper))
        }
    }

    func guild(_ key: Int64) throws -> Guild { try found(Guild.where { $0.key == key }) }
    func crew(_ key: Int64) throws -> Crew { try found(Crew.where { $0.key == key }) }
    func keeper(_ key: Int64) throws -> Keeper { try found(Keeper.where { $0.key == key }) }
    func locker(_ key: Int64) throws -> Locker { try found(Locker.where { $0.key == key }) }
    func craft(_ key: Int64) throws -> Craft { try found(Craft.where { $0.key == key }) }
    func chore(_ key: Int64) throws -> Chore { try found(Chore.where { $0.key == key }) }
    func route(_ key: Int64) throws -> Route { try found(Route.where { $0.key == key }) }

    private func object(_ kind: Yard.Kind, _ key: Int64) throws -> any YardObject {
        switch kind {
        case .guild: try guild(key)
        case .crew: try crew(key)
        case .keeper: try keeper(key)
        case .locker: try locker(key)
        case .craft: try craft(key)
        case .chore: try chore(key)
        case .route: try route(key)
        }
    }

    private func found<Model: YardObject>(_ descriptor: FetchDescriptor<Model>) throws -> Model {
        let objects = try fetch(descriptor)
        guard objects.count == 1 else { throw YardError.notOne(Model.self, objects.map(\.key)) }
        return objects[0]
    }

    /// Deletes the objects of a kind with less than some points by a batch.
    func batchDelete(_ kind: Yard.Kind, below points: Int64) throws {
        switch kind {
        case .guild: try batchDelete(Guild.where { $0.points < points })
        case .crew: try batchDelete(Crew.where { $0.points < points })
        case .keeper: try batchDelete(Keeper.where { $0.points < points })
        case .locker: try batchDelete(Locker.where { $0.points < points })
        case .craft: try batchDelete(Craft.where { $0.points < points })
        case .chore: try batchDelete(Chore.where { $0.points < points })
        case .route: try batchDelete(Route.where { $0.points < points })
        }
    }
}

enum YardError: Error {
    case notOne(any PersistentModel.Type, [Int64])
}

/// The rows that a history's changes lead to, beginning with an earlier state.
struct YardHistory {
    private(set) var rows: [PersistentIdentifier: String]
    private var token: PersistentHistoryToken
    private let container: ModelContainer

    init(_ container: ModelContainer) throws {
        self.container = container
        token = try container.currentHistoryToken()
        rows = try YardReading(ModelContext(container)).identifiers
    }

    /// Follows the history, and compares the rows that it leads to with those that a fresh context reads.
    mutating func failure(_ stored: YardReading) throws -> String? {
        var live = Set(rows.keys)
        for transaction in try container.fetchHistory(.fetchHistory(after: token)) {
            if Set(transaction.changes.map(\.changedObjectID)).count != transaction.changes.count {
                return "a transaction has two changes of an object"
            }
            for change in transaction.changes {
                let isRight =
                    switch change.changeType {
                    case .insert: live.insert(change.changedObjectID).inserted
                    case .update: live.contains(change.changedObjectID)
                    case .delete: live.remove(change.changedObjectID) != nil
                    }
                let name = rows[change.changedObjectID] ?? stored.identifiers[change.changedObjectID] ?? "another"
                if !isRight { return "the history has the \(change.changeType) of \(name)" }
            }
            token = transaction.token
        }
        let found = Set(stored.identifiers.keys)
        let lost = live.subtracting(found).map { rows[$0] ?? "a new row" }
        let others = found.subtracting(live).map { stored.identifiers[$0] ?? "" }
        rows = stored.identifiers
        return lost.isEmpty && others.isEmpty ? nil : "the history has \(lost) too many and \(others) too few"
    }
}
