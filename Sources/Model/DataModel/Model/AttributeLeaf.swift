/// The part of an attribute in one column: all of it, or a part of a composite.
public struct AttributeLeaf: Sendable, Hashable {
    /// The entity's attribute, then the attributes of the composites within each other, down to the leaf's own.
    public var path: [Attribute]
    /// Whether the column stores no value, but shows whether an optional composite, at the end of the path, is nil.
    ///
    /// Without this column, a composite whose leaves are all nil would be read as nil.
    public var isPresence: Bool

    /// Makes a leaf at the end of a path, which has at least one attribute.
    public init(path: [Attribute], isPresence: Bool = false) {
        self.path = path
        self.isPresence = isPresence
    }

    /// Whether it is a part of a composite, and not all of an attribute.
    public var isInComposite: Bool { isPresence || path.count > 1 }

    /// Whether it represents a required composite in which nothing is stored. Such a leaf has no column.
    public var isEmptyComposite: Bool { isPresence && path.last?.isOptional == false }

    /// The names on the path.
    public var names: [String] { path.map(\.name) }

    /// The key path from the entity, such as `home.street`.
    public var keyPath: String { path.count == 1 ? path[0].name : names.joined(separator: ".") }

    /// The optional composites on the path, the outermost first, as the numbers of attributes that lead to them.
    ///
    /// The leaf is NULL while one of them is nil.
    public var optionalComposites: [Int] {
        let composites = isPresence ? path[...] : path.dropLast()
        return composites.indices.filter { composites[$0].isOptional }.map { $0 + 1 }
    }

    /// Whether it has a value whenever the optional composites on its path are present.
    public var isRequiredWhereComposite: Bool {
        !isPresence && !optionalComposites.isEmpty && path.last?.isOptional == false
    }

    /// The attribute in the form of its column: named by the key path, optional if the column may be NULL, and without
    /// a default if it is NULL unless a composite is present.
    public var stored: Attribute {
        guard var attribute = path.last else { return Attribute(name: "", type: .undefined) }
        if isPresence {
            return Attribute(name: keyPath, type: .boolean, isOptional: true, location: attribute.location)
        }
        if path.count == 1 { return attribute }
        attribute.name = keyPath
        if !optionalComposites.isEmpty {
            attribute.isOptional = true
            attribute.defaultValueString = nil
            attribute.defaultDateTimeInterval = nil
        }
        return attribute
    }
}

extension Composite {
    /// The most composites that may lie within each other.
    public static let greatestDepth = 16

    /// The most columns that an attribute may have: SQLite's limit for a table.
    public static let greatestLeafCount = 2000
}

extension ModelGraph {
    /// Returns the columns of an attribute in their order: itself, or the parts of its composite by name.
    ///
    /// A composite that contains itself, or has more columns than a table can hold, is cut; a transient attribute has
    /// no columns.
    public func leaves(of attribute: Attribute) -> [AttributeLeaf] {
        let leaves = leavesWithEmptyComposites(of: attribute)
        return attribute.type == .composite ? leaves.filter { !$0.isEmptyComposite } : leaves
    }

    /// The leaves of an attribute, with a leaf without a column for each required composite that has none.
    public func leavesWithEmptyComposites(of attribute: Attribute) -> [AttributeLeaf] {
        if !attribute.isStored { return [] }
        if attribute.type != .composite { return [AttributeLeaf(path: [attribute])] }
        var leaves: [AttributeLeaf] = []
        var remaining = Composite.greatestLeafCount
        addLeaves(of: [attribute], to: &leaves, &remaining)
        return leaves
    }

    private func addLeaves(of path: [Attribute], to leaves: inout [AttributeLeaf], _ remaining: inout Int) {
        remaining -= 1
        guard let last = path.last, remaining >= 0 else { return }
        if last.type != .composite { return leaves.append(AttributeLeaf(path: path)) }
        guard path.count <= Composite.greatestDepth,
            let composite = last.compositeName.flatMap({ self.composite(named: $0) })
        else { return }
        let count = leaves.count
        if last.isOptional { leaves.append(AttributeLeaf(path: path, isPresence: true)) }
        for attribute in composite.attributes.sorted(by: { $0.name < $1.name }) {
            addLeaves(of: path + [attribute], to: &leaves, &remaining)
        }
        if leaves.count == count { leaves.append(AttributeLeaf(path: path, isPresence: true)) }
    }
}
