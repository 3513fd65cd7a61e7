/// A property that is loaded on first use: the members of a relationship, or the destination of a column's foreign key.
enum LoadedProperty: Hashable {
    case members(RelationshipNumber)
    case destination(column: Int)
}

/// The objects of a fetch whose lazy property was read before.
enum EarlierAccess {
    /// Nobody yet.
    case none
    /// The object that asks, and it alone.
    case same
    /// Another object: whoever asks is going over them.
    case other
}

/// Whether an object is served together with one of the same fetch that asks.
enum SiblingAnswer {
    /// It is, and others may be.
    case served
    /// It needs nothing.
    case needless
    /// It is, or not, and no other one is.
    case enough
}

/// What was loaded at once for several objects of a fetch.
struct SiblingLoad {
    /// For how many objects.
    var owners: Int
    /// How many rows.
    var rows: Int
}

/// How the objects of each fetch were asked for what a relationship leads to.
struct BatchAccesses {
    /// The batch and the property that were read.
    struct Key: Hashable {
        /// Where the batch begins.
        var start: Int
        var property: LoadedProperty
    }

    /// How they were asked for it.
    struct Known {
        /// The rowid of the object that was asked first.
        let first: Int64
        /// The last time that it was loaded for several of them; nil where it was not yet.
        var lastLoad: SiblingLoad?
    }

    /// The last note: it is usually read again, and a context that reads little has no other.
    private var latest: (key: Key, known: Known)?
    /// The earlier notes; nil if there are none, because creating a dictionary costs a small context more than
    /// everything else here.
    private var others: [Key: Known]?

    var isEmpty: Bool { latest == nil }

    /// The notes about a batch.
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

    /// Gives batches other starts, by those that they have. Of one that has none any more nothing is known afterwards.
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
