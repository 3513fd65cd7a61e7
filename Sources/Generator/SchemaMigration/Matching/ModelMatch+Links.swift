import DataModel
import RelationalSchema

extension ModelMatch {
    /// Why the links that two relationships had may be more than they can have as inverses of each other.
    enum LinkConflict: Equatable {
        /// By the inverse, several objects may lead to one, to which only one may lead now. The names are the old
        /// relationships that allowed it.
        case shared([PropertyName])
        /// Both had links of their own, which need not agree.
        case independent
        /// The relationship is its own inverse now, and an object that it led to need not have led back.
        case notMutual
    }

    /// Returns the possible excess of links that a new relationship and its inverse take over; nil if there is none.
    ///
    /// A relationship that was to-many and is to-one now is not included: its own change shows it.
    func linkConflict(of key: PropertyName) -> LinkConflict? {
        guard let relationship = new.property(key)?.relationship, let inverse = new.inverse(of: key) else { return nil }
        let own = relationshipSources(of: key)
        if inverse == key {
            let isMutual = own.allSatisfy { old.inverse(of: $0) == $0 }
            return isMutual || relationship.isToMany ? nil : .notMutual
        }
        let other = relationshipSources(of: inverse)
        if own.isEmpty {
            if relationship.isToMany { return nil }
            let shared = other.filter { source in
                old.inverse(of: source).flatMap { old.property($0)?.relationship }?.isToMany != false
            }
            return shared.isEmpty ? nil : .shared(shared)
        }
        if other.isEmpty { return nil }
        let wereInverses =
            Set(own.map { old.inverse(of: $0) }) == Set(other) && Set(other.map { old.inverse(of: $0) }) == Set(own)
        // The change is reported for only one of the two.
        return wereInverses || inverse < key ? nil : .independent
    }

    private func relationshipSources(of key: PropertyName) -> [PropertyName] {
        sources(of: key).filter { $0.old.relationship != nil }.map(\.old.key)
    }
}
