import Foundation

/// The order in which Xcode writes the parts of a model's file.
enum XcodeOrder {
    /// The known attributes of an element, in Xcode's order. Others stay behind those that they follow.
    static let attributes: [String: [String]] = [
        "model": [
            "name", "type", "documentVersion", "lastSavedToolsVersion", "systemVersion", "minimumToolsVersion",
            "sourceLanguage", "macOSVersion", "iOSVersion", "usedWithCloudKit", "usedWithSwiftData",
            "userDefinedModelVersionIdentifier",
        ],
        "entity": [
            "name", "representedClassName", "parentEntity", "isAbstract", "elementID", "versionHashModifier",
            "syncable",
            "codeGenerationType",
        ],
        "attribute": [
            "name", "optional", "transient", "attributeType", "composite", "minValueString", "maxValueString",
            "minDateTimeInterval", "maxDateTimeInterval", "defaultDateTimeInterval", "defaultValueString", "derived",
            "derivationExpression", "regularExpressionString", "valueTransformerName",
            "allowsExternalBinaryDataStorage", "usesScalarValueType", "customClassName", "preserveAfterDeletion",
            "allowsCloudEncryption", "spotlightIndexingEnabled", "indexed", "storedInTruthFile", "elementID",
            "versionHashModifier", "syncable",
        ],
        "relationship": [
            "name", "optional", "transient", "minCount", "maxCount", "toMany", "deletionRule", "ordered",
            "destinationEntity", "inverseName", "inverseEntity", "indexed", "spotlightIndexingEnabled",
            "storedInTruthFile", "elementID", "versionHashModifier", "syncable",
        ],
        "fetchedProperty": ["name", "optional", "transient"],
        "fetchRequest": ["name", "entity", "predicateString"],
        "fetchIndex": ["name", "partialIndexPredicate"],
        "fetchIndexElement": ["property", "type", "order"],
        "entry": ["key", "value"],
        "element": ["name", "positionX", "positionY", "width", "height"],
    ]

    /// The known children of an element, in Xcode's order. Those of one group have no order among each other.
    static let children: [String: [[String]]] = [
        "model": [["entity"], ["fetchRequest", "configuration", "composite"], ["userInfo"], ["elements"]],
        "entity": [
            ["attribute"], ["relationship"], ["fetchedProperty"], ["fetchIndex"], ["compoundIndexes"],
            ["uniquenessConstraints"], ["userInfo"],
        ],
        "composite": [["attribute"], ["userInfo"]],
        "fetchedProperty": [["fetchRequest"], ["userInfo"]],
        "fetchIndex": [["fetchIndexElement"], ["userInfo"]],
    ]

    /// The elements that Xcode sorts by name.
    static let sorted: Set<String> = ["entity", "attribute", "relationship", "fetchedProperty"]

    /// Attributes in Xcode's order.
    static func sorted<Attribute>(
        _ attributes: [Attribute], of element: String, by name: (Attribute) -> String
    ) -> [Attribute] {
        let order = self.attributes[element] ?? []
        var rank = -1
        let ranked = attributes.enumerated().map { offset, attribute in
            rank = order.firstIndex(of: name(attribute)) ?? rank
            return (rank: rank, offset: offset, attribute: attribute)
        }
        return ranked.sorted { ($0.rank, $0.offset) < ($1.rank, $1.offset) }.map(\.attribute)
    }

    /// The position of an element's child among the groups; nil for children that Xcode does not write there.
    static func group(of child: String, in parent: String) -> Int? {
        children[parent]?.firstIndex { $0.contains(child) }
    }

    /// Whether Xcode writes the model's own identifier before everything else, which versions before 8 do.
    static func writesIdentifierFirst(toolsVersion: String?) -> Bool {
        guard let major = toolsVersion?.split(separator: ".").first.flatMap({ Int($0) }) else { return false }
        return (2..<11_000).contains(major)
    }

    /// Returns whether Xcode writes an element with a name before one with another.
    static func precedes(_ first: String, _ second: String) -> Bool { Key(first) < Key(second) }

    /// A name as Xcode sorts it: regardless of case, with numbers by their values, and with punctuation first.
    struct Key: Comparable {
        private struct Part: Comparable {
            var group: Int
            var number = 0
            var text = ""

            static func < (left: Part, right: Part) -> Bool {
                (left.group, left.number, left.text) < (right.group, right.number, right.text)
            }
        }

        private let name: String
        private var parts: [Part] = []

        init(_ name: String) {
            self.name = name
            var rest = Substring(name.lowercased())
            while let first = rest.first {
                let digits = rest.prefix { $0.isASCII && $0.isNumber }
                if let number = Int(digits) {
                    parts.append(Part(group: 1, number: number))
                    rest = rest.dropFirst(digits.count)
                } else {
                    parts.append(Part(group: first.isLetter || first.isNumber ? 2 : 0, text: String(first)))
                    rest.removeFirst()
                }
            }
        }

        static func < (left: Key, right: Key) -> Bool {
            // Of two names that differ in case, the one with the small letter is first.
            left.parts == right.parts ? left.name > right.name : left.parts.lexicographicallyPrecedes(right.parts)
        }
    }
}
