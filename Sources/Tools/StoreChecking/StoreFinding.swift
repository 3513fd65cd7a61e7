/// One thing that is wrong with a store, in all rows that have it.
package struct StoreFinding: Sendable, Hashable {
    /// The kind of the problem. The raw values are printed as JSON, and are stable.
    package enum Kind: String, Sendable, Hashable, CaseIterable, Encodable {
        // The file
        case damagedFile, damagedIndex
        // The schema
        case alteredTable, otherTableRules, missingObject, otherObject, leftObject
        // Values
        case missingValue, wrongType, invalidText, outOfRange, belowMinimum, aboveMaximum, tooShort, tooLong
        case patternMismatch, incompleteComposite, unknownEntity
        // References
        case danglingReference, wrongDestination, doubledInverse, missingInverse, tooFewObjects, tooManyObjects
        case missingOrder, doubledOrder
        // Uniqueness
        case doubledValues
        // Values that are computed from others
        case staleDerivedValue, staleRTree, staleFullText, staleLetters
        // Numbers, and the store's metadata
        case wrongRowNumber, usedRowNumber, wrongMetadata
        // The history
        case unknownHistoryEntity, wrongHistory, outdatedHistoryTriggers
        // Files of large values
        case missingFile, wrongFile, unusedFile
    }

    /// The greatest number of rows that are named.
    package static let greatestRowCount = 5

    package var kind: Kind
    /// A description of the problem, in a sentence.
    package var text: String
    /// A remedy for people, in a sentence.
    package var remedy: String
    package var entity: String?
    package var property: String?
    package var table: String?
    /// The numbers of the first rows.
    package var rows: [Int64] = []
    /// The number of rows that have it; nil if it does not concern rows.
    package var count: Int?
    /// The repair; nil if nothing in the store determines one.
    package var mending: Mending?

    /// Whether `--repair` fixes it.
    package var isMendable: Bool { mending != nil }
}

/// A repair, which computes something again.
package enum Mending: Sendable, Hashable {
    /// Indexes, triggers and virtual tables are made again according to the model.
    case makeObjects
    case reindex(String)
    /// A virtual table is made and filled again.
    case fill(String)
    case derive(table: String, column: String)
    case fillLetters(String)
    /// A reference to a missing object becomes nil, as with its deletion rule.
    case clearReferences(table: String, column: String, destination: String)
    /// Of several references to one object the newest stays, or the one that its destination returns; others become nil.
    case clearSharedReferences(table: String, column: String, isOwnInverse: Bool)
    /// A pair with a missing object is removed.
    case removePairs(table: String, column: String, destination: String)
    /// The other direction of pairs is added.
    case addPairs(table: String, order: String?)
    /// Members get new positions in the order that they have.
    case renumber(table: String, owner: String, order: String, key: [String])
    case noteRowNumbers(table: String)
    case makeHistoryTriggers
    /// Files that nothing refers to are moved into a folder beside the backup.
    case moveFiles
}

extension StoreFinding: Encodable {
    private enum Key: String, CodingKey {
        case kind, text, remedy, entity, property, table, rows, count, isMendable
    }

    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(kind, forKey: .kind)
        try values.encode(text, forKey: .text)
        try values.encode(remedy, forKey: .remedy)
        try values.encodeIfPresent(entity, forKey: .entity)
        try values.encodeIfPresent(property, forKey: .property)
        try values.encodeIfPresent(table, forKey: .table)
        try values.encode(rows, forKey: .rows)
        try values.encodeIfPresent(count, forKey: .count)
        try values.encode(isMendable, forKey: .isMendable)
    }
}
