/// The objects of live results, in sections and in order.
///
/// The objects are in pieces of a few hundred, and a table has each object's piece. So neither finding an object nor
/// moving it traverses all objects.
struct ResultList {
    /// Some adjacent objects.
    final class Piece {
        static let capacity = 512
        unowned let section: Section
        // No other code runs during an access to a piece or a section. Callers that compare objects use a copy of the
        // list.
        @exclusivity(unchecked) var objects: ContiguousArray<ManagedObject>

        init(_ section: Section, _ objects: ContiguousArray<ManagedObject>) {
            self.section = section
            self.objects = objects
        }
    }

    /// The objects with one section name; never empty.
    final class Section {
        let name: SectionKey?
        @exclusivity(unchecked) var index: Int
        @exclusivity(unchecked) var pieces: [Piece] = []
        @exclusivity(unchecked) var count = 0

        init(name: SectionKey?, index: Int) {
            self.name = name
            self.index = index
        }

        var first: ManagedObject? { pieces.first?.objects.first }
        var last: ManagedObject? { pieces.last?.objects.last }
    }

    private(set) var sections: [Section] = []
    private var pieces: [ObjectIdentifier: Piece] = [:]
    private var sectionsByName: [SectionKey?: Section] = [:]

    var count: Int { pieces.count }

    func contains(_ object: ManagedObject) -> Bool { pieces[ObjectIdentifier(object)] != nil }

    func section(named name: SectionKey?) -> Section? { sectionsByName[name] }

    /// Returns the position of an object. The time depends on the number of pieces in its section, not of objects.
    func place(of object: ManagedObject) -> ResultPlace? {
        guard let piece = pieces[ObjectIdentifier(object)],
            let offset = piece.objects.firstIndex(where: { $0 === object })
        else { return nil }
        var before = 0
        for other in piece.section.pieces {
            if other === piece { break }
            before += other.objects.count
        }
        return ResultPlace(section: piece.section.index, item: before + offset)
    }

    /// The object at a position; nil if there is none.
    subscript(place: ResultPlace) -> ManagedObject? {
        guard sections.indices.contains(place.section), place.item >= 0 else { return nil }
        var rest = place.item
        for piece in sections[place.section].pieces {
            if rest < piece.objects.count { return piece.objects[rest] }
            rest -= piece.objects.count
        }
        return nil
    }

    /// Adds an object after all others. Returns false if its section exists already and is not the last one.
    mutating func append(_ object: ManagedObject, _ name: SectionKey?) -> Bool {
        let section: Section
        if let last = sections.last, last.name == name {
            section = last
        } else {
            if sectionsByName[name] != nil { return false }
            section = addSection(name, at: sections.count)
        }
        if let last = section.pieces.last, last.objects.count < Piece.capacity / 2 {
            last.objects.append(object)
            pieces[ObjectIdentifier(object)] = last
        } else {
            let piece = Piece(section, [object])
            section.pieces.append(piece)
            pieces[ObjectIdentifier(object)] = piece
        }
        section.count += 1
        return true
    }

    private mutating func addSection(_ name: SectionKey?, at index: Int) -> Section {
        let section = Section(name: name, index: index)
        sections.insert(section, at: index)
        for later in sections.indices.dropFirst(index + 1) { sections[later].index = later }
        sectionsByName[name] = section
        return section
    }

    mutating func remove(_ object: ManagedObject) {
        guard let piece = pieces.removeValue(forKey: ObjectIdentifier(object)),
            let offset = piece.objects.firstIndex(where: { $0 === object })
        else { return }
        let section = piece.section
        piece.objects.remove(at: offset)
        section.count -= 1
        if piece.objects.isEmpty { section.pieces.removeAll { $0 === piece } }
        guard section.count == 0 else { return }
        sections.remove(at: section.index)
        for later in section.index..<sections.count { sections[later].index = later }
        sectionsByName[section.name] = nil
    }

    /// Inserts an object at its position in the order. Returns false if there is no such position, because the sections
    /// are not in the objects' order.
    mutating func insert(
        _ object: ManagedObject, _ name: SectionKey?, precedes: (ManagedObject) -> Bool
    ) -> Bool {
        guard let section = sectionsByName[name] else {
            let index = sections.partitioningIndex { $0.first.map(precedes) ?? true }
            if index > 0, let last = sections[index - 1].last, precedes(last) { return false }
            let section = addSection(name, at: index)
            section.pieces = [Piece(section, [object])]
            section.count = 1
            pieces[ObjectIdentifier(object)] = section.pieces[0]
            return true
        }
        // The last piece that begins before the object has space for it, or gets it by a split.
        let position: Int
        do {
            let pieces = section.pieces
            position = max(0, pieces.partitioningIndex { $0.objects.first.map(precedes) ?? true } - 1)
        }
        let piece = section.pieces[position]
        let offset: Int
        do {
            let objects = piece.objects
            offset = objects.partitioningIndex(where: precedes)
        }
        piece.objects.insert(object, at: offset)
        pieces[ObjectIdentifier(object)] = piece
        section.count += 1
        if piece.objects.count > Piece.capacity { split(piece, at: position) }
        let isAfterOthers =
            section.last === object && section.index + 1 < sections.count
            ? sections[section.index + 1].first.map(precedes) ?? true : true
        let isBeforeOthers =
            section.first === object && section.index > 0
            ? sections[section.index - 1].last.map { !precedes($0) } ?? true : true
        return isAfterOthers && isBeforeOthers
    }

    private mutating func split(_ piece: Piece, at index: Int) {
        let half = piece.objects.count / 2
        let later = Piece(piece.section, ContiguousArray(piece.objects[half...]))
        piece.objects.removeSubrange(half...)
        piece.section.pieces.insert(later, at: index + 1)
        for object in later.objects { pieces[ObjectIdentifier(object)] = later }
    }

    /// Returns the objects before and after an object, even in other sections.
    func neighbours(of object: ManagedObject) -> (before: ManagedObject?, after: ManagedObject?) {
        guard let place = place(of: object) else { return (nil, nil) }
        let section = sections[place.section]
        let before =
            place.item > 0
            ? self[ResultPlace(section: place.section, item: place.item - 1)]
            : place.section > 0 ? sections[place.section - 1].last : nil
        let after =
            place.item + 1 < section.count
            ? self[ResultPlace(section: place.section, item: place.item + 1)]
            : place.section + 1 < sections.count ? sections[place.section + 1].first : nil
        return (before, after)
    }

    /// All objects in order, with their positions.
    var places: [(place: ResultPlace, object: ManagedObject)] {
        var result: [(ResultPlace, ManagedObject)] = []
        result.reserveCapacity(count)
        for section in sections {
            var item = 0
            for piece in section.pieces {
                for object in piece.objects {
                    result.append((ResultPlace(section: section.index, item: item), object))
                    item += 1
                }
            }
        }
        return result
    }

    /// Calls a closure with all objects in order.
    func visit(_ body: (ManagedObject) -> Void) {
        for section in sections {
            for piece in section.pieces {
                for object in piece.objects { body(object) }
            }
        }
    }
}

/// The position of an object in live results.
struct ResultPlace: Hashable, Comparable {
    var section: Int
    var item: Int

    static func < (left: ResultPlace, right: ResultPlace) -> Bool {
        (left.section, left.item) < (right.section, right.item)
    }
}

extension RandomAccessCollection {
    /// Returns the first index at which a condition holds. The condition must then hold for all later elements too.
    fileprivate func partitioningIndex(where holds: (Element) -> Bool) -> Index {
        var low = startIndex
        var count = self.count
        while count > 0 {
            let half = count / 2
            let middle = index(low, offsetBy: half)
            if holds(self[middle]) {
                count = half
            } else {
                low = index(after: middle)
                count -= half + 1
            }
        }
        return low
    }
}
