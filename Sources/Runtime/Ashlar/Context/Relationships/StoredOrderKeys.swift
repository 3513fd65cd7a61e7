import AshlarSQLite
import Containers

/// The order keys of an owner's members in the store. One statement reads all of them, and one writes them.
///
/// Stepping through the rows of the members takes SQLite half as long again as a statement that finds no row and calls
/// a function for each:
///
/// ```sql
/// SELECT 1 FROM "Playlist$tracks"
/// WHERE "source$" = ?1 AND ashlar_note_key("target$", "target$order")
/// ```
///
/// If many of them get another key, one statement writes these too, and calls a function for each member's key:
///
/// ```sql
/// UPDATE "Playlist$tracks" SET "target$order" = ashlar_new_key("target$")
/// WHERE "source$" = ?1 AND ashlar_has_new_key("target$")
/// ```
final class StoredOrderKeys {
    // See ``PendingChanges`` for the cost of checked accesses.

    /// The positions of the members.
    @exclusivity(unchecked) private var places = RowIDTable()
    /// The keys in the store; nil for members without one.
    @exclusivity(unchecked) private(set) var keys: [Int64?] = []
    /// The new keys of the members.
    @exclusivity(unchecked) var newKeys: [Int64] = []

    init(_ connection: Connection) throws(SQLiteError) {
        let this = Unmanaged.passUnretained(self).toOpaque()
        try connection.addDirectFunction("ashlar_note_key", argumentCount: 2, owner: this) {
            guard let call = FunctionCall($0, $1, $2) else { return }
            if !call.isNull(1) { StoredOrderKeys.of(call) { $0.note(call.integer(1), of: call.integer(0)) } }
            call.give(0)
        }
        try connection.addDirectFunction("ashlar_has_new_key", argumentCount: 1, owner: this) {
            guard let call = FunctionCall($0, $1, $2) else { return }
            call.give(StoredOrderKeys.of(call) { $0.changedPlace(of: call.integer(0)) } < 0 ? 0 : 1)
        }
        try connection.addDirectFunction("ashlar_new_key", argumentCount: 1, owner: this) {
            guard let call = FunctionCall($0, $1, $2) else { return }
            StoredOrderKeys.of(call) { $0.giveNewKey(of: call.integer(0), to: call) }
        }
    }

    private static func of<Result>(_ call: FunctionCall, _ body: (StoredOrderKeys) -> Result) -> Result {
        let address = call.owner.unsafelyUnwrapped
        return Unmanaged<StoredOrderKeys>.fromOpaque(address)._withUnsafeGuaranteedRef(body)
    }

    /// Replaces the members.
    func begin(_ members: [Int64]) {
        places.removeAll(minimumCapacity: members.count * 2)
        var place = 0
        while place < members.count {
            places.insert(members[place], at: place)
            place &+= 1
        }
        keys.removeAll(keepingCapacity: !members.isEmpty)
        keys.append(contentsOf: repeatElement(nil, count: members.count))
        newKeys = []
    }

    /// Returns the members, with those that have keys sorted by them; nil if they are already in that order.
    ///
    /// - Parameter added: The members that joined the owner, whose keys belong to another owner.
    func storedOrder(of members: [Int64], _ added: () -> [Int64]) -> [Int64]? {
        var last = Int64.min
        let isStored = keys.allSatisfy { key in
            guard let key else { return true }
            defer { last = key }
            return key >= last
        }
        if isStored { return nil }
        let added = Set(added())
        let stored = zip(members, keys).compactMap { member, key in
            added.contains(member) ? nil : key.map { (member: member, key: $0) }
        }
        let order = OrderKeys.placing(members, among: stored.sorted { $0.key < $1.key }.map(\.member))
        return order == members ? nil : order
    }

    /// Removes the members.
    func end() { begin([]) }

    // MARK: Called by the statements

    private func note(_ key: Int64, of member: Int64) {
        let place = places.position(of: member)
        if place >= 0 { keys[place] = key }
    }

    /// Returns the place of a member that gets another key; -1 for others.
    private func changedPlace(of member: Int64) -> Int {
        let place = places.position(of: member)
        return place >= 0 && place < newKeys.count && keys[place] != newKeys[place] ? place : -1
    }

    private func giveNewKey(of member: Int64, to call: FunctionCall) {
        let place = changedPlace(of: member)
        if place < 0 { return call.fail("a member without a new key") }
        call.give(newKeys[place])
    }
}

extension Connection {
    /// Returns the connection's exchange of order keys with its statements.
    func storedOrderKeys() throws(SQLiteError) -> StoredOrderKeys {
        if let keys = state.storedOrderKeys { return unsafeDowncast(keys, to: StoredOrderKeys.self) }
        let keys = try StoredOrderKeys(self)
        state.storedOrderKeys = keys
        return keys
    }
}
