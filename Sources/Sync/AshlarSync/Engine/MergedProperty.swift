import Ashlar

/// The columns of one property, which are settled together.
struct MergedProperty {
    enum Content {
        /// One column that no property of the model has.
        case nameless
        /// One column.
        case value(Int)
        /// A reference, and the place among those that refer to the same object.
        case placedReference(Int, place: Int)
        /// The elements of a composite, and which composites are there, by the names that lead to them.
        case composite(elements: [Int: [String]], presence: [Int: [String]])
    }

    var name: String
    /// The positions of its columns, as its table has them.
    var positions: [Int]
    var content: Content

    /// The properties of columns, by name.
    ///
    /// - Parameter columns: The columns of a table in the model; nil for columns that the model does not have.
    static func properties(of columns: [TrackedTable.Column?]) -> [MergedProperty] {
        var groups: [String: [Int]] = [:]
        for (position, column) in columns.enumerated() {
            groups[column?.property ?? "\(position)", default: []].append(position)
        }
        return groups.sorted { $0.key < $1.key }.map { name, positions in
            MergedProperty(name: name, positions: positions, content: content(positions, columns))
        }
    }

    private static func content(_ positions: [Int], _ columns: [TrackedTable.Column?]) -> Content {
        var (value, place): (Int?, Int?)
        var (elements, presence): ([Int: [String]], [Int: [String]]) = ([:], [:])
        for position in positions {
            switch columns[position]?.part {
            case nil: return .nameless
            case .value?: value = position
            case .order?: place = position
            case .element(let names)?: elements[position] = names
            case .presence(let names)?: presence[position] = names
            }
        }
        guard let value else { return .composite(elements: elements, presence: presence) }
        return place.map { .placedReference(value, place: $0) } ?? .value(value)
    }
}
