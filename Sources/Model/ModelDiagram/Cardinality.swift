public import DataModel

/// The number of objects that a relationship leads to, in the notation of diagrams: `0..1`, `1`, `*`, `1..*`, `0..5`.
public struct Cardinality: Sendable, Hashable, CustomStringConvertible {
    public var minimum: Int
    /// The greatest number; nil when there is no limit.
    public var maximum: Int?

    /// The cardinality of a relationship. An optional one may lead nowhere, whatever its minimum. A required to-many
    /// relationship may be empty unless the model sets a minimum.
    public init(_ relationship: Relationship) {
        minimum = relationship.isOptional ? 0 : max(relationship.isToMany ? 0 : 1, relationship.minimumCount)
        maximum = relationship.isToMany ? (relationship.maximumCount == 0 ? nil : relationship.maximumCount) : 1
    }

    public var isToMany: Bool { maximum != 1 }

    public var description: String {
        switch (minimum, maximum) {
        case (0, nil): "*"
        case (let minimum, nil): "\(minimum)..*"
        case (let minimum, let maximum?): minimum == maximum ? "\(minimum)" : "\(minimum)..\(maximum)"
        }
    }
}
