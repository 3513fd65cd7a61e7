public import SystemFoundation

/// What an import brought from a store that Core Data or SwiftData wrote, and what it could not bring as it was.
public struct ImportReport: Sendable, Hashable, Codable {
    /// The old store.
    public internal(set) var source: URL
    /// The old store's UUID, which is in the URIs of its objects, and is the new store's too.
    public internal(set) var storeIdentifier: String
    /// The name of the model's version that the old store is of.
    public internal(set) var version: String
    /// The number of objects of each entity of that version.
    public internal(set) var objects: [String: Int] = [:]
    /// The number of pairs of to-many relationships that have tables of their own.
    public internal(set) var pairs = 0
    /// The number of large values that are in files beside the store.
    public internal(set) var externalFiles = 0
    /// The bytes of these files.
    public internal(set) var externalBytes: Int64 = 0
    /// The number of transactions of the persistent history; 0 unless ``StoreImport/includesHistory`` is set.
    public internal(set) var historyTransactions = 0
    /// The number of changes in these transactions.
    public internal(set) var historyChanges = 0
    /// The version to which code of the program's own leads, and which a planned import therefore did not try; nil where there is
    /// none. The data is checked as the version of the old store wants it.
    public internal(set) var missingStage: String?
    /// What the model does not allow, at most ``ImportReport/findingLimit`` of each kind and property.
    public internal(set) var findings: [ImportFinding] = []
    /// How many there are in all.
    public internal(set) var findingCount = 0

    /// The most findings that a report has of one kind and property; more are counted.
    public static let findingLimit = 1000
}

extension ImportReport {
    /// Notes that the migration to a version began the history anew.
    mutating func loseHistory(_ version: String) {
        (historyTransactions, historyChanges) = (0, 0)
        findingCount += 1
        findings.append(
            ImportFinding(
                kind: .lostHistory, remedy: .leavesOutHistory, entity: "", property: "", key: 0, found: version))
    }
}

extension ImportReport: CustomStringConvertible {
    /// The report in lines, without the single findings.
    public var description: String {
        var lines = [
            "\(source.path): a store of the version \"\(version)\", \(storeIdentifier)",
            "\(objects.values.reduce(0, +)) objects, \(pairs) pairs"
                + (externalFiles == 0 ? "" : ", \(externalFiles) files with \(externalBytes) bytes"),
        ]
        if historyTransactions > 0 {
            lines.append("\(historyTransactions) transactions of the history with \(historyChanges) changes")
        }
        if let missingStage {
            lines.append(
                "The migration to \"\(missingStage)\" was not tried: a custom stage leads there, which only the program has"
            )
        }
        lines += objects.sorted { $0.key < $1.key }.map { "    \($0.key): \($0.value)" }
        if findingCount > 0 {
            lines.append("\(findingCount) values, references or rows are not as the model wants them")
        }
        return lines.joined(separator: "\n")
    }
}

/// Something in an old store that the model does not allow.
public struct ImportFinding: Sendable, Hashable, Codable {
    /// What it is.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        /// A row of no entity that the model has, or without a legal number.
        case unknownObject
        /// NULL where the model requires a value.
        case missingValue
        /// A value of another type, or one that the type does not hold.
        case invalidValue
        /// A file beside the store that is not there.
        case missingFile
        /// A reference or a pair that leads to no object, or to one of another entity.
        case danglingReference
        /// One side of a one-to-one relationship that the other does not confirm.
        case oneSidedReference
        /// An object with values that another has, and that must be unique.
        case duplicate
        /// A derived value that is not what it is derived from.
        case derivedDifference
        /// A row of the persistent history, or a value in one, that tells nothing: the entity and the property are those of Core
        /// Data's own, such as `CHANGE` and `ZENTITY`.
        case invalidHistory
        /// A persistent history that a migration could not follow, and began anew.
        case lostHistory
    }

    /// What becomes of it.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Remedy: String, Sendable, Hashable, Codable, CaseIterable {
        /// The whole object is left out.
        case leavesOutObject
        /// The value or the reference becomes nil.
        case setsNil
        /// The value becomes what the model has for a default.
        case setsDefault
        /// The pair is left out.
        case leavesOutPair
        /// The value is computed anew. It is no reason to refuse a store.
        case computesAnew
        /// The row of the persistent history is left out, or all of the history.
        case leavesOutHistory
    }

    /// What is wrong.
    public internal(set) var kind: Kind
    /// What a repair does about it.
    public internal(set) var remedy: Remedy
    /// The entity that declares the property, or the root of the hierarchy whose table the row is in.
    public internal(set) var entity: String
    /// The property; empty where it is the whole object.
    public internal(set) var property: String
    /// The object's number in the old store, its `Z_PK`.
    public internal(set) var key: Int64
    /// What was found there, as text.
    public internal(set) var found: String
}

extension ImportFinding: CustomStringConvertible {
    public var description: String {
        if kind == .lostHistory {
            return "The history cannot be followed through the migration to \(found): it begins anew"
        }
        let place = property.isEmpty ? "\(entity) \(key)" : "\(entity).\(property) of \(key)"
        let what =
            switch kind {
            case .unknownObject: "is no object of the model (\(found))"
            case .missingValue: "has no value, which the model requires"
            case .invalidValue: "holds \(found), which its type does not allow"
            case .missingFile: "is in a file that is not there (\(found))"
            case .danglingReference: "leads to \(found), where there is no such object"
            case .oneSidedReference: "leads to \(found), which does not lead back"
            case .duplicate: "has values that must be unique and that another object has (\(found))"
            case .derivedDifference: "is \(found), which is not what it is derived from"
            case .invalidHistory: "holds \(found), which tells nothing in the history"
            case .lostHistory: "is lost"
            }
        let remedy =
            switch self.remedy {
            case .leavesOutObject: "the object is left out"
            case .setsNil: "it becomes nil"
            case .setsDefault: "it becomes the model's default"
            case .leavesOutPair: "the pair is left out"
            case .computesAnew: "it is computed anew"
            case .leavesOutHistory: "it is left out"
            }
        return "\(place) \(what): \(remedy)"
    }
}
