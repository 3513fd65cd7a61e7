public import SystemFoundation

/// A report of an import: the imported data, and the data that violates the model.
///
///     let report = try ModelContainer.plannedImport(of: StoreImport(url: oldURL), for: PhotoFeedModel.self)
///     print(report)
///     for finding in report.findings { print(finding) }
public struct ImportReport: Sendable, Hashable, Codable {
    /// The old store.
    public internal(set) var source: URL
    /// The old store's UUID, which the new store keeps, and which is in the URIs of its objects.
    public internal(set) var storeIdentifier: String
    /// The name of the old store's version of the model.
    public internal(set) var version: String
    /// The number of objects of each entity of that version.
    public internal(set) var objects: [String: Int] = [:]
    /// The number of pairs of many-to-many relationships.
    public internal(set) var pairs = 0
    /// The number of large values in files beside the store.
    public internal(set) var externalFiles = 0
    /// The size of these files in bytes.
    public internal(set) var externalBytes: Int64 = 0
    /// The number of transactions of the persistent history; 0 unless ``StoreImport/includesHistory`` is set.
    public internal(set) var historyTransactions = 0
    /// The number of changes in these transactions.
    public internal(set) var historyChanges = 0
    /// The first version that needs custom code, which a planned import therefore did not reach; nil if there is none.
    ///
    /// The data is then checked against the rules of the old store's version.
    public internal(set) var missingStage: String?
    /// The data that violates the model, at most ``ImportReport/findingLimit`` findings of each kind and property.
    public internal(set) var findings: [ImportFinding] = []
    /// The number of all findings.
    public internal(set) var findingCount = 0

    /// The maximum number of findings of one kind and property in a report; further ones are only counted.
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
    /// The report as lines of text, without the single findings.
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
            lines.append("\(findingCount) values, references or rows violate the model")
        }
        return lines.joined(separator: "\n")
    }
}

/// Data in an old store that violates the model.
///
/// ``ImportReport/findings`` contains them.
///
///     let report = try ModelContainer.plannedImport(of: StoreImport(url: oldURL), for: PhotoFeedModel.self)
///     for finding in report.findings { print(finding.entity, finding.property, finding.kind, finding.remedy) }
public struct ImportFinding: Sendable, Hashable, Codable {
    /// The kind of a finding.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        /// A row that belongs to no entity of the model, or has an invalid number.
        case unknownObject
        /// NULL for a required value.
        case missingValue
        /// A value of another type, or one that the type cannot hold.
        case invalidValue
        /// A missing file beside the store.
        case missingFile
        /// A reference or a pair whose object is missing or belongs to another entity.
        case danglingReference
        /// One side of a one-to-one relationship that the other side does not confirm.
        case oneSidedReference
        /// An object with unique values that another object has.
        case duplicate
        /// A derived value that differs from its definition.
        case derivedDifference
        /// An invalid row or value of the persistent history.
        ///
        /// The entity and the property are those of Core Data, such as `CHANGE` and `ZENTITY`.
        case invalidHistory
        /// A persistent history that a migration could not follow, and that began again.
        case lostHistory
    }

    /// The repair of a finding.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Remedy: String, Sendable, Hashable, Codable, CaseIterable {
        /// The whole object is left out.
        case leavesOutObject
        /// The value or the reference becomes nil.
        case setsNil
        /// The value becomes the model's default.
        case setsDefault
        /// The pair is left out.
        case leavesOutPair
        /// The value is computed again. Such a finding is not a reason to refuse a store.
        case computesAnew
        /// The row of the persistent history is left out, or the whole history.
        case leavesOutHistory
    }

    /// The kind of the finding.
    public internal(set) var kind: Kind
    /// The repair that ``StoreImport/repairsData`` applies.
    public internal(set) var remedy: Remedy
    /// The entity that declares the property, or the root entity of the row's table.
    public internal(set) var entity: String
    /// The property; empty if the finding concerns the whole object.
    public internal(set) var property: String
    /// The object's number in the old store, its `Z_PK`.
    public internal(set) var key: Int64
    /// The invalid value, as text.
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
            case .unknownObject: "is not an object of the model (\(found))"
            case .missingValue: "has no value, which the model requires"
            case .invalidValue: "holds \(found), which its type does not allow"
            case .missingFile: "is in a file that is not there (\(found))"
            case .danglingReference: "leads to \(found), where there is no such object"
            case .oneSidedReference: "leads to \(found), which does not lead back"
            case .duplicate: "has values that must be unique and that another object has (\(found))"
            case .derivedDifference: "is \(found), which does not match its expression"
            case .invalidHistory: "holds \(found), which has no meaning in the history"
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
