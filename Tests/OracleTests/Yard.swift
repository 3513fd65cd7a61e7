import RandomNumbers

/// The objects of a store and their relationships in plain Swift, by key.
struct Yard: Equatable, Sendable {
    enum Kind: String, CaseIterable, Sendable {
        case guild, crew, keeper, locker, craft, chore, route
    }

    struct Pair: Hashable, Sendable {
        var keeper: Int64
        var craft: Int64
    }

    /// The points of each object.
    var points: [Kind: [Int64: Int64]] = Dictionary(uniqueKeysWithValues: Kind.allCases.map { ($0, [:]) })
    /// The guilds of crews.
    var guilds: [Int64: Int64] = [:]
    /// The crews of keepers.
    var crews: [Int64: Int64] = [:]
    /// The lockers of keepers.
    var lockers: [Int64: Int64] = [:]
    var crafts: Set<Pair> = []
    /// The chores of keepers in order; no keeper has an empty list.
    var chores: [Int64: [Int64]] = [:]
    var routes: [Int64: [Int64]] = [:]

    func keys(_ kind: Kind) -> [Int64] { (points[kind] ?? [:]).keys.sorted() }

    func owner(of chore: Int64) -> Int64? { chores.first { $0.value.contains(chore) }?.key }

    /// Whether a deletion would also delete a crew that has keepers, which is denied.
    func denies(_ kind: Kind, _ key: Int64) -> Bool {
        switch kind {
        case .crew: crews.values.contains(key)
        case .guild: guilds.contains { $0.value == key && denies(.crew, $0.key) }
        default: false
        }
    }

    mutating func delete(_ kind: Kind, _ key: Int64) {
        points[kind]?[key] = nil
        switch kind {
        case .guild: for crew in guilds.filter({ $0.value == key }).keys { delete(.crew, crew) }
        case .crew:
            guilds[key] = nil
            crews = crews.filter { $0.value != key }
        case .keeper:
            for chore in chores[key] ?? [] { points[.chore]?[chore] = nil }
            (crews[key], lockers[key], chores[key], routes[key]) = (nil, nil, nil, nil)
            crafts = crafts.filter { $0.keeper != key }
        case .locker: lockers = lockers.filter { $0.value != key }
        case .craft: crafts = crafts.filter { $0.craft != key }
        case .chore: setOwner(of: key, nil)
        case .route: for keeper in routes.keys { remove(key, from: \.routes, of: keeper) }
        }
    }

    mutating func setLocker(of keeper: Int64, _ locker: Int64?) {
        if let locker { lockers = lockers.filter { $0.value != locker } }
        lockers[keeper] = locker
    }

    mutating func setOwner(of chore: Int64, _ keeper: Int64?) {
        let before = owner(of: chore)
        if before == keeper { return }
        if let before { remove(chore, from: \.chores, of: before) }
        if let keeper { chores[keeper, default: []].append(chore) }
    }

    mutating func setChores(of keeper: Int64, _ list: [Int64]) {
        for chore in list where owner(of: chore) != keeper { setOwner(of: chore, nil) }
        chores[keeper] = list.isEmpty ? nil : list
    }

    mutating func setRoutes(of keeper: Int64, _ list: [Int64]) { routes[keeper] = list.isEmpty ? nil : list }

    mutating func remove(_ key: Int64, from lists: WritableKeyPath<Yard, [Int64: [Int64]]>, of keeper: Int64) {
        let left = (self[keyPath: lists][keeper] ?? []).filter { $0 != key }
        self[keyPath: lists][keeper] = left.isEmpty ? nil : left
    }

    /// A list with a member moved to a position. The position is one in the list without the member.
    static func placed(_ key: Int64, at position: Int, in list: [Int64]) -> [Int64] {
        var list = list.filter { $0 != key }
        list.insert(key, at: min(position, list.count))
        return list
    }

    mutating func perform(_ edit: YardEdit) {
        switch edit {
        case .insert(let kind, let key, let number), .setPoints(let kind, let key, let number):
            points[kind]?[key] = number
        case .delete(let kind, let key): delete(kind, key)
        case .setGuild(let crew, let guild): guilds[crew] = guild
        case .setCrew(let keeper, let crew): crews[keeper] = crew
        case .addKeeper(let crew, let keeper): crews[keeper] = crew
        case .removeKeeper(let crew, let keeper): if crews[keeper] == crew { crews[keeper] = nil }
        case .setLocker(let keeper, let locker): setLocker(of: keeper, locker)
        case .setKeeper(let locker, let keeper):
            lockers = lockers.filter { $0.value != locker }
            if let keeper { lockers[keeper] = locker }
        case .addCraft(let keeper, let craft, _): crafts.insert(Pair(keeper: keeper, craft: craft))
        case .removeCraft(let keeper, let craft, _): crafts.remove(Pair(keeper: keeper, craft: craft))
        case .assignCrafts(let keeper, let list):
            crafts = crafts.filter { $0.keeper != keeper }
            for craft in list { crafts.insert(Pair(keeper: keeper, craft: craft)) }
        case .placeChore(let keeper, let chore, let position):
            setChores(of: keeper, Self.placed(chore, at: position, in: chores[keeper] ?? []))
        case .removeChore(let keeper, let chore): remove(chore, from: \.chores, of: keeper)
        case .assignChores(let keeper, let list):
            setChores(of: keeper, list)
        case .setOwner(let chore, let keeper): setOwner(of: chore, keeper)
        case .placeRoute(let keeper, let route, let position):
            setRoutes(of: keeper, Self.placed(route, at: position, in: routes[keeper] ?? []))
        case .removeRoute(let keeper, let route, _): remove(route, from: \.routes, of: keeper)
        case .assignRoutes(let keeper, let list): setRoutes(of: keeper, list)
        case .addKeeperToRoute(let route, let keeper):
            if routes[keeper]?.contains(route) != true { routes[keeper, default: []].append(route) }
        }
    }

    /// The facts of one yard that another one lacks.
    func difference(from expected: Yard) -> String? {
        if self == expected { return nil }
        let (found, wanted) = (facts, expected.facts)
        return "has \(found.subtracting(wanted).sorted()) instead of \(wanted.subtracting(found).sorted())"
    }

    private var facts: Set<String> {
        var facts: Set<String> = []
        for (kind, objects) in points { for (key, points) in objects { facts.insert("\(kind) \(key): \(points)") } }
        for (crew, guild) in guilds { facts.insert("crew \(crew) in guild \(guild)") }
        for (keeper, crew) in crews { facts.insert("keeper \(keeper) in crew \(crew)") }
        for (keeper, locker) in lockers { facts.insert("keeper \(keeper) with locker \(locker)") }
        for pair in crafts { facts.insert("keeper \(pair.keeper) with craft \(pair.craft)") }
        for (keeper, chores) in chores { facts.insert("keeper \(keeper) with chores \(chores)") }
        for (keeper, routes) in routes { facts.insert("keeper \(keeper) with routes \(routes)") }
        return facts
    }
}

/// A change of one object of a yard.
enum YardEdit: Sendable {
    case insert(Yard.Kind, Int64, points: Int64)
    case setPoints(Yard.Kind, Int64, Int64)
    case delete(Yard.Kind, Int64)
    case setGuild(crew: Int64, Int64?)
    case setCrew(keeper: Int64, Int64?)
    case addKeeper(crew: Int64, Int64)
    case removeKeeper(crew: Int64, Int64)
    case setLocker(keeper: Int64, Int64?)
    case setKeeper(locker: Int64, Int64?)
    case addCraft(keeper: Int64, Int64, fromCraft: Bool)
    case removeCraft(keeper: Int64, Int64, fromCraft: Bool)
    case assignCrafts(keeper: Int64, [Int64])
    case placeChore(keeper: Int64, Int64, at: Int)
    case removeChore(keeper: Int64, Int64)
    case assignChores(keeper: Int64, [Int64])
    case setOwner(chore: Int64, Int64?)
    case placeRoute(keeper: Int64, Int64, at: Int)
    case removeRoute(keeper: Int64, Int64, fromRoute: Bool)
    case assignRoutes(keeper: Int64, [Int64])
    case addKeeperToRoute(Int64, keeper: Int64)

    var changesAnOrder: Bool {
        switch self {
        case .placeChore, .removeChore, .assignChores, .setOwner, .placeRoute, .removeRoute, .assignRoutes,
            .addKeeperToRoute, .delete(.keeper, _), .delete(.chore, _), .delete(.route, _):
            true
        default: false
        }
    }

    /// A change of an order; nil if there are too few objects.
    static func ofAnOrder(_ random: inout SeededGenerator, _ yard: Yard) -> YardEdit? {
        guard let keeper = yard.keys(.keeper).randomElement(using: &random) else { return nil }
        let chore = yard.keys(.chore).randomElement(using: &random)
        let route = yard.keys(.route).randomElement(using: &random)
        let position = random.number(0..<4)
        switch (random.number(0..<10), chore, route) {
        case (0, let chore?, _), (1, let chore?, _): return .placeChore(keeper: keeper, chore, at: position)
        case (2, let chore?, _):
            return .removeChore(keeper: keeper, yard.chores[keeper]?.randomElement(using: &random) ?? chore)
        case (3, let chore?, _): return .setOwner(chore: chore, random.oneIn(3) ? nil : keeper)
        case (4, _?, _): return .assignChores(keeper: keeper, subset(yard.keys(.chore), &random))
        case (5, _, let route?), (6, _, let route?): return .placeRoute(keeper: keeper, route, at: position)
        case (7, _, let route?):
            let route = yard.routes[keeper]?.randomElement(using: &random) ?? route
            return .removeRoute(keeper: keeper, route, fromRoute: random.oneIn(2))
        case (8, _, _?): return .assignRoutes(keeper: keeper, subset(yard.keys(.route), &random))
        case (9, _, let route?): return .addKeeperToRoute(route, keeper: keeper)
        default: return nil
        }
    }

    private static func subset(_ keys: [Int64], _ random: inout SeededGenerator) -> [Int64] {
        Array(keys.shuffled(using: &random).prefix(random.number(0..<4)))
    }

    /// Any change of a yard; a new object gets the key that is given.
    static func any(_ random: inout SeededGenerator, _ yard: Yard, newKey: Int64) -> YardEdit {
        let points = Int64.random(in: 0..<40, using: &random)
        let kind = Yard.Kind.allCases.randomElement(using: &random) ?? .keeper
        let insertion = insert(random.oneIn(2) ? .keeper : kind, newKey, points: points)
        func one(_ kind: Yard.Kind) -> Int64? { yard.keys(kind).randomElement(using: &random) }
        func optional(_ kind: Yard.Kind) -> Int64? { random.oneIn(4) ? nil : one(kind) }
        guard let keeper = one(.keeper) else { return insertion }
        switch random.number(0..<18) {
        case 0...2: return insertion
        case 3, 4: return one(kind).map { .setPoints(kind, $0, points) } ?? insertion
        case 5: return one(kind).map { .delete(kind, $0) } ?? insertion
        case 6: return one(.crew).map { .setGuild(crew: $0, optional(.guild)) } ?? insertion
        case 7: return .setCrew(keeper: keeper, optional(.crew))
        case 8:
            guard let crew = one(.crew) else { return insertion }
            return random.oneIn(2) ? .addKeeper(crew: crew, keeper) : .removeKeeper(crew: crew, keeper)
        case 9: return .setLocker(keeper: keeper, optional(.locker))
        case 10: return one(.locker).map { .setKeeper(locker: $0, optional(.keeper)) } ?? insertion
        case 11, 12:
            guard let craft = one(.craft) else { return insertion }
            let fromCraft = random.oneIn(2)
            return random.oneIn(2)
                ? .addCraft(keeper: keeper, craft, fromCraft: fromCraft)
                : .removeCraft(keeper: keeper, craft, fromCraft: fromCraft)
        case 13: return .assignCrafts(keeper: keeper, subset(yard.keys(.craft), &random))
        default: return ofAnOrder(&random, yard) ?? insertion
        }
    }
}
