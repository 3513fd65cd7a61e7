extension Diagram {
    /// Draws two versions as one picture: the newer version, with the removed parts of the older one beside it.
    /// Differences have a mark before their names: `+` for added, `−` for removed, and `~` for changed parts.
    ///
    /// - Parameter formerNames: The former names of renamed parts, by the name of the box: that of the box itself under
    ///   an empty text, and those of its rows under their new names.
    public init(from old: Diagram, to new: Diagram, formerNames: [String: [String: String]] = [:]) {
        self = new
        title = old.title == new.title ? new.title : "\(old.title) → \(new.title)"
        let matching = BoxMatching(old, new, formerNames)
        var places = matching.places
        // The new names of renamed entities by their former names.
        let newNames = Dictionary(
            formerNames.compactMap { name, former in former[""].map { ($0, name) } },
            uniquingKeysWith: { first, _ in first })
        for (index, box) in new.boxes.enumerated() {
            guard let former = matching.former[index] else {
                boxes[index].mark(.added)
                for row in box.rows.indices { boxes[index].rows[row].mark(.added) }
                continue
            }
            boxes[index].compare(with: old.boxes[former], formerNames[box.name] ?? [:], newNames, &places[former])
        }
        for (index, box) in old.boxes.enumerated() where places[index].box == nil {
            places[index] = BoxMatching.Place(box: boxes.count, rows: Array(box.rows.indices))
            var gone = box
            gone.mark(.removed)
            for row in gone.rows.indices { gone.rows[row].mark(.removed) }
            boxes.append(gone)
        }
        addConnections(of: old, places)
    }

    /// Whether anything in it has a mark.
    var isComparison: Bool {
        boxes.contains { $0.change != nil || $0.rows.contains { $0.change != nil } }
            || connections.contains { $0.change != nil }
    }

    private mutating func addConnections(of old: Diagram, _ places: [BoxMatching.Place]) {
        func moved(_ end: End) -> End? {
            guard let box = places[end.box].box else { return nil }
            return End(box: box, row: end.row.flatMap { places[end.box].rows[$0] }, cardinality: end.cardinality)
        }
        let before = old.connections.compactMap { connection -> Connection? in
            guard let source = moved(connection.source), let destination = moved(connection.destination) else {
                return nil
            }
            return Connection(kind: connection.kind, source: source, destination: destination)
        }
        for index in connections.indices where !before.contains(where: { $0.isSame(as: connections[index]) }) {
            connections[index].change = .added
        }
        for connection in before where !connections.contains(where: { $0.isSame(as: connection) }) {
            var gone = connection
            gone.change = .removed
            connections.append(gone)
        }
    }
}

/// Which boxes of two diagrams are one.
private struct BoxMatching {
    /// The place of a box of the older diagram, and of its rows, in the new one.
    struct Place {
        var box: Int?
        var rows: [Int?] = []
    }

    private(set) var places: [Place]
    /// The older box of each newer one.
    private(set) var former: [Int?]

    init(_ old: Diagram, _ new: Diagram, _ formerNames: [String: [String: String]]) {
        places = old.boxes.map { Place(rows: $0.rows.map { _ in nil }) }
        former = []
        var byName: [String: Int] = [:]
        for (index, box) in old.boxes.enumerated() { byName[Self.key(box.kind, box.name)] = index }
        for (index, box) in new.boxes.enumerated() {
            let name = formerNames[box.name]?[""] ?? box.name
            let found = byName.removeValue(forKey: Self.key(box.kind, name))
            former.append(found)
            if let found { places[found].box = index }
        }
    }

    /// An entity may become abstract, and no composite.
    private static func key(_ kind: Diagram.Box.Kind, _ name: String) -> String {
        (kind == .composite ? "composite " : "entity ") + name
    }
}

extension Diagram.Box {
    fileprivate mutating func mark(_ change: Diagram.Change) {
        self.change = change
        name = change.mark + name
    }

    /// Marks the differences from an older box, adds its removed rows, and returns the places of the older rows.
    fileprivate mutating func compare(
        with old: Diagram.Box, _ formerNames: [String: String], _ newNames: [String: String],
        _ place: inout BoxMatching.Place
    ) {
        let title = name
        var remaining = Set(old.rows.indices)
        for index in rows.indices {
            let row = rows[index]
            let formerName = formerNames[row.name] ?? row.name
            let found = old.rows.indices.first {
                remaining.contains($0) && old.rows[$0].section == row.section && old.rows[$0].name == formerName
                    // Constraints have no name, and are matched by their content.
                    && (row.name != "unique" || old.rows[$0].detail == row.detail)
            }
            guard let found else {
                rows[index].mark(.added)
                continue
            }
            remaining.remove(found)
            place.rows[found] = index
            let before = old.rows[found].following(newNames)
            if before == row { continue }
            rows[index].mark(.changed)
            let was = [formerName == row.name ? nil : formerName, before.detail == row.detail ? nil : before.detail]
                .compactMap(\.self)
            if !was.isEmpty { rows[index].remarks.append("was \(was.joined(separator: ": "))") }
        }
        for found in remaining.sorted() {
            var gone = old.rows[found]
            gone.mark(.removed)
            place.rows[found] = rows.count
            rows.append(gone)
        }
        if old.name != title || old.kind != kind || rows.contains(where: { $0.change != nil }) { mark(.changed) }
        if old.name != title { name += " (was \(old.name))" }
    }
}

extension Diagram.Row {
    /// The row with the destination's new name: a relationship to a renamed entity is not another one.
    fileprivate func following(_ newNames: [String: String]) -> Diagram.Row {
        guard section == .relationships, let space = detail.firstIndex(of: " "),
            let name = newNames[String(detail[..<space])]
        else { return self }
        var result = self
        result.detail = name + detail[space...]
        return result
    }

    fileprivate mutating func mark(_ change: Diagram.Change) {
        self.change = change
        name = change.mark + name
    }
}

extension Diagram.Connection {
    /// Returns whether both connect the same, in whichever direction.
    fileprivate func isSame(as other: Diagram.Connection) -> Bool {
        guard kind == other.kind else { return false }
        if source == other.source, destination == other.destination { return true }
        return kind == .relationship && source == other.destination && destination == other.source
    }
}
