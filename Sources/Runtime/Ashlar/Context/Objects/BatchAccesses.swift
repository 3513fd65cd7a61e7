/// A property that is loaded on first use: the members of a relationship, or the destination of a column's foreign key.
enum LoadedProperty: Hashable {
    case members(RelationshipNumber)
    case destination(column: Int)
}

/// The objects of a fetch whose lazy property was read before.
enum EarlierAccess {
    /// No access yet.
    case none
    /// Only the object that reads the property now.
    case same
    /// Another object: a loop goes over the objects of the fetch.
    case other
}

/// The result of offering a sibling from the same fetch to a load.
enum SiblingAnswer {
    /// The load includes the object, and may include more.
    case served
    /// The object needs no loading.
    case needless
    /// The load accepts no further objects.
    case enough
}

/// The extent of a load for several objects of a fetch.
struct SiblingLoad {
    /// The number of objects.
    var owners: Int
    /// The number of rows.
    var rows: Int
}

/// The accesses to lazy properties, by batches and properties.
struct BatchAccesses {
    /// The batch and the property that were read.
    struct Key: Hashable {
        /// The position at which the batch begins.
        var start: Int
        var property: LoadedProperty
    }

    /// The accesses to a property of a batch.
    struct Known {
        /// The rowid of the object that read the property first.
        let first: Int64
        /// The last load for several objects; nil if there was none.
        var lastLoad: SiblingLoad?
    }

    /// The latest record: it is usually read next, and a context that reads little has no other.
    private var latest: (key: Key, known: Known)?
    /// The earlier records; nil if there are none, because creating a dictionary costs a small context more than
    /// everything else here.
    private var others: [Key: Known]?

    var isEmpty: Bool { latest == nil }

    /// The accesses of a batch.
    subscript(key: Key) -> Known? {
        if let latest, latest.key == key { return latest.known }
        return others?[key]
    }

    mutating func note(_ known: Known, _ key: Key) {
        if let latest, latest.key != key {
            if others == nil { others = [:] }
            others?[latest.key] = latest.known
        }
        latest = (key, known)
    }

    /// Moves batches to other starts, by their present ones. Forgets batches without a new start.
    mutating func moveBatches(_ starts: [Int: Int]) {
        guard let latest else { return }
        var moved = BatchAccesses()
        func move(_ key: Key, _ known: Known) {
            if let start = starts[key.start] { moved.note(known, Key(start: start, property: key.property)) }
        }
        for (key, known) in others ?? [:] where key != latest.key { move(key, known) }
        move(latest.key, latest.known)
        self = moved
    }
}
