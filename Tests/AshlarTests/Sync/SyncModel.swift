import Foundation

/// The protocol in a few lines, without a database: the rules, one after another, by which a log joins the changes of
/// several writers. The engine is compared with it, step by step.
///
/// An object has one property that matters. The rule of the property depends on the object's kind.
struct SyncModel {
    enum Kind: String, CaseIterable {
        /// A beacon's range: the later change counts, and a change brings a deleted beacon back.
        case beacon
        /// A pennant's colour: the first change counts. Its key is unique.
        case pennant
        /// A quay's depth: the greater one counts.
        case quay
        /// A vessel's tonnage: the sum of all additions. Its name is unique.
        case vessel

        var isUnique: Bool { self == .pennant || self == .vessel }
    }

    struct Object: Hashable {
        var kind: Kind
        /// The name that identifies the object; unique for some kinds.
        var name: String
        var value: Int

        var text: String { "\(kind.rawValue) \(name) \(value)" }
    }

    enum Change: Hashable {
        case insert(Int, Object)
        case update(Int, old: Object, new: Object)
        case delete(Int, Object)
    }

    struct Peer {
        /// The objects according to the log up to the head.
        var base: [Int: Object] = [:]
        /// The objects in the store.
        var objects: [Int: Object] = [:]
        var head = 0
        /// The number of reported events of each kind.
        var events: [String: Int] = [:]
    }

    private(set) var peers: [Peer]
    private(set) var log: [[Change]] = []
    private var lastNumber = 0

    init(count: Int) { peers = Array(repeating: Peer(), count: count) }

    // MARK: Programs

    mutating func insert(_ object: Object, at peer: Int) {
        lastNumber += 1
        peers[peer].objects[lastNumber] = object
    }

    /// The number of an object at a peer.
    func number(_ kind: Kind, _ name: String, at peer: Int) -> Int? {
        peers[peer].objects.first { $0.value.kind == kind && $0.value.name == name }?.key
    }

    mutating func set(_ value: Int, of number: Int, at peer: Int) { peers[peer].objects[number]?.value = value }
    mutating func delete(_ number: Int, at peer: Int) { peers[peer].objects[number] = nil }

    // MARK: The protocol

    /// The changes of a peer that are not in the log.
    private func pending(_ peer: Peer) -> [Change] {
        var changes: [Change] = []
        for number in Set(peer.base.keys).union(peer.objects.keys).sorted() {
            switch (peer.base[number], peer.objects[number]) {
            case (nil, let new?): changes.append(.insert(number, new))
            case (let old?, nil): changes.append(.delete(number, old))
            case (let old?, let new?) where old != new: changes.append(.update(number, old: old, new: new))
            default: break
            }
        }
        return changes
    }

    /// Reads the log, and applies the peer's own changes after it.
    mutating func read(_ number: Int) {
        var peer = peers[number]
        guard peer.head < log.count else { return }
        let pending = pending(peer)
        for change in log[peer.head...].joined() {
            switch change {
            case .insert(let id, let object): peer.base[id] = object
            case .update(let id, _, let new): peer.base[id]?.value = new.value
            case .delete(let id, _): peer.base[id] = nil
            }
        }
        peer.head = log.count
        peer.objects = peer.base
        func tell(_ kind: String) { peer.events[kind, default: 0] += 1 }
        // Objects that the peer deletes do not conflict.
        let deleted = Set(pending.compactMap { if case .delete(let id, _) = $0 { id } else { nil } })
        for change in pending {
            switch change {
            case .insert(let id, let object):
                let other = peer.objects.first {
                    object.kind.isUnique && !deleted.contains($0.key) && $0.value.kind == object.kind
                        && $0.value.name == object.name
                }
                if let other {
                    peer.objects[other.key]?.value = Self.merged(
                        object.kind, mine: object.value, theirs: other.value.value)
                    tell("merged")
                } else {
                    peer.objects[id] = object
                }
            case .update(let id, let old, let new):
                guard let theirs = peer.objects[id] else {
                    if new.kind == .beacon { peer.objects[id] = new } else { tell("objectGone") }
                    continue
                }
                let value = Self.value(new.kind, old: old.value, mine: new.value, theirs: theirs.value)
                if value != new.value { tell("overruled") }
                peer.objects[id]?.value = value
            case .delete: break
            }
        }
        for case .delete(let id, _) in pending { peer.objects[id] = nil }
        peers[number] = peer
    }

    /// Returns the value of two objects that become one.
    private static func merged(_ kind: Kind, mine: Int, theirs: Int) -> Int {
        kind == .vessel ? mine + theirs : theirs
    }

    private static func value(_ kind: Kind, old: Int, mine: Int, theirs: Int) -> Int {
        if theirs == old { return mine }
        switch kind {
        case .beacon: return mine
        case .pennant: return theirs
        case .quay: return max(mine, theirs)
        case .vessel: return theirs + mine - old
        }
    }

    /// Appends the changes of a peer, if it has read all of the log.
    mutating func send(_ number: Int) {
        guard peers[number].head == log.count else { return }
        let pending = pending(peers[number])
        if pending.isEmpty { return }
        log.append(pending)
        peers[number].base = peers[number].objects
        peers[number].head = log.count
    }

    mutating func exchange(_ number: Int) {
        read(number)
        send(number)
    }

    func texts(_ peer: Int) -> [String] { peers[peer].objects.values.map(\.text).sorted() }
}
