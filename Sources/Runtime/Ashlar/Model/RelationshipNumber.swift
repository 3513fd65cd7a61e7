/// A relationship's position among those of its entity, inherited ones first. Generated code writes it as a plain
/// number.
///
/// It is a separate type, because columns have numbers too, and the same functions take both.
@_spi(Generated) @frozen public struct RelationshipNumber: Hashable, Sendable, ExpressibleByIntegerLiteral {
    @usableFromInline let position: Int

    @_transparent
    public init(integerLiteral position: Int) { self.position = position }

    @_transparent
    @usableFromInline
    init(_ position: Int) { self.position = position }
}

extension RelationshipNumber: Comparable {
    @_transparent
    public static func < (left: RelationshipNumber, right: RelationshipNumber) -> Bool {
        left.position < right.position
    }
}

/// The numbers of an entity's relationships.
struct RelationshipNumbers: RandomAccessCollection {
    let endIndex: Int

    var startIndex: Int { 0 }

    subscript(position: Int) -> RelationshipNumber { RelationshipNumber(position) }
}

extension [RelationshipDescription] {
    /// The numbers of all relationships, in their order.
    var numbers: RelationshipNumbers { RelationshipNumbers(endIndex: count) }

    /// All relationships, each with its number.
    var numbered: Zip2Sequence<RelationshipNumbers, [RelationshipDescription]> { zip(numbers, self) }

    /// Returns whether there is a relationship with a number.
    func contains(_ number: RelationshipNumber) -> Bool { indices.contains(number.position) }

    /// Returns the number of the first relationship for which a condition holds.
    func firstNumber(where condition: (RelationshipDescription) -> Bool) -> RelationshipNumber? {
        firstIndex(where: condition).map { RelationshipNumber($0) }
    }
}

extension Array {
    /// The element for a relationship of the entity.
    subscript(number: RelationshipNumber) -> Element {
        @_transparent get { self[number.position] }
        @_transparent set { self[number.position] = newValue }
    }
}
