import DataModel
import ModelFormat

/// The elements and attributes that the format allows, the usual ones first.
enum FormatVocabulary {
    /// The elements that can be in an element.
    static let children: [String: [String]] = ModelVocabulary.names.reduce(into: [:]) { result, name in
        result[name] = ModelVocabulary.children(of: name).sorted {
            (rank($0, of: elementOrder), $0) < (rank($1, of: elementOrder), $1)
        }
    }

    /// The attributes that an element can have.
    static let attributes: [String: [String]] = ModelVocabulary.names.reduce(into: [:]) { result, name in
        let usual = usualAttributes[name] ?? []
        result[name] = ModelVocabulary.attributes(of: name).sorted {
            (rank($0, of: usual), $0) < (rank($1, of: usual), $1)
        }
    }

    /// Attributes that are YES or NO.
    static let booleans: Set<String> = [
        "optional", "transient", "toMany", "ordered", "derived", "indexed", "isAbstract", "syncable",
        "usesScalarValueType", "allowsExternalBinaryDataStorage", "preserveAfterDeletion", "allowsCloudEncryption",
        "spotlightIndexingEnabled", "storedInTruthFile", "includeSubentities", "includePropertyValues",
        "returnObjectsAsFaults", "includesPendingChanges", "returnDistinctResults", "usedWithCloudKit",
        "usedWithSwiftData",
    ]

    /// The value that an attribute mostly has where it is written; nil where it depends.
    static func usualValue(of name: String, in element: String) -> String? {
        switch (element, name) {
        case (_, "usesScalarValueType"), ("entity", "syncable"), (_, "optional"): "YES"
        case (_, let name) where booleans.contains(name): "YES"
        case ("relationship", "maxCount"): "1"
        case ("relationship", "deletionRule"): "Nullify"
        case ("entity", "codeGenerationType"): "class"
        default: nil
        }
    }

    static func isUsual(_ name: String, in element: String) -> Bool {
        usualAttributes[element]?.contains(name) ?? true
    }

    private static let elementOrder = [
        "entity", "attribute", "relationship", "fetchIndex", "fetchIndexElement", "fetchRequest",
        "uniquenessConstraints",
    ]

    private static let usualAttributes = [
        "entity": ["name", "representedClassName", "parentEntity", "isAbstract", "elementID", "syncable"],
        "attribute": [
            "name", "optional", "attributeType", "defaultValueString", "usesScalarValueType", "valueTransformerName",
            "customClassName", "derived", "derivationExpression", "composite", "elementID", "transient",
            "minValueString", "maxValueString", "regularExpressionString", "allowsExternalBinaryDataStorage",
        ],
        "relationship": [
            "name", "optional", "toMany", "maxCount", "minCount", "ordered", "deletionRule", "destinationEntity",
            "inverseName", "inverseEntity", "elementID",
        ],
        "fetchRequest": ["name", "entity", "predicateString", "fetchLimit", "fetchBatchSize"],
        "fetchIndexElement": ["property", "type", "order", "expression", "expressionType"],
    ]

    private static func rank(_ name: String, of order: [String]) -> Int { order.firstIndex(of: name) ?? order.count }
}

/// Elements with their usual attributes.
enum ElementSnippets {
    static let model = CompletionItem(
        "model", .snippet,
        text: """
            <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" lastSavedToolsVersion="22758" \
            systemVersion="23E224" minimumToolsVersion="Automatic" sourceLanguage="Swift" \
            userDefinedModelVersionIdentifier="">
                <entity name="${1:Item}" representedClassName=".${1:Item}" syncable="YES">
                    $0
                </entity>
            </model>
            """, isSnippet: true)

    /// The items for an element in another one.
    static func items(_ name: String, in parent: String) -> [CompletionItem] {
        func item(_ label: String, _ text: String, _ detail: String? = nil, rank: Int = 2) -> CompletionItem {
            CompletionItem(label, .snippet, text: text, isSnippet: true, detail: detail, rank: rank)
        }
        switch name {
        case "entity":
            return [
                item(
                    name,
                    "<entity name=\"${1:Name}\" representedClassName=\".${1:Name}\" syncable=\"YES\">\n    $0\n</entity>"
                )
            ]
        case "attribute":
            let types = AttributeType.written.map(\.rawValue).joined(separator: ",")
            return [
                item(
                    name, "<attribute name=\"${1:name}\" optional=\"${2|YES,NO|}\" attributeType=\"${3|\(types)|}\"/>$0"
                )
            ]
        case "relationship":
            return [
                item(
                    "relationship to one",
                    "<relationship name=\"${1:name}\" optional=\"YES\" maxCount=\"1\" deletionRule=\"Nullify\" "
                        + "destinationEntity=\"${2:Entity}\" inverseName=\"${3:inverse}\" inverseEntity=\"${2:Entity}\"/>$0"
                ),
                item(
                    "relationship to many",
                    "<relationship name=\"${1:names}\" optional=\"YES\" toMany=\"YES\" "
                        + "deletionRule=\"${4|Nullify,Cascade,Deny|}\" destinationEntity=\"${2:Entity}\" "
                        + "inverseName=\"${3:inverse}\" inverseEntity=\"${2:Entity}\"/>$0"),
            ]
        case "fetchIndex":
            return [
                item(
                    name,
                    "<fetchIndex name=\"by${1:Property}\">\n    <fetchIndexElement property=\"${2:property}\" "
                        + "type=\"Binary\" order=\"ascending\"/>\n</fetchIndex>$0")
            ]
        case "fetchIndexElement":
            return [
                item(
                    name,
                    "<fetchIndexElement property=\"${1:property}\" type=\"Binary\" order=\"${2|ascending,descending|}\"/>$0"
                )
            ]
        case "fetchRequest":
            return [
                item(
                    name,
                    parent == "fetchedProperty"
                        ? "<fetchRequest name=\"fetchedPropertyFetchRequest\" entity=\"${1:Entity}\" predicateString=\"$2\"/>$0"
                        : "<fetchRequest name=\"${1:Name}\" entity=\"${2:Entity}\" predicateString=\"$3\"/>$0")
            ]
        case "fetchedProperty":
            return [
                item(
                    name,
                    "<fetchedProperty name=\"${1:name}\" optional=\"YES\">\n    <fetchRequest "
                        + "name=\"fetchedPropertyFetchRequest\" entity=\"${2:Entity}\" predicateString=\"$3\"/>\n"
                        + "</fetchedProperty>$0")
            ]
        case "uniquenessConstraints":
            return [
                item(
                    name,
                    "<uniquenessConstraints>\n    <uniquenessConstraint>\n        <constraint value=\"${1:property}\"/>\n"
                        + "    </uniquenessConstraint>\n</uniquenessConstraints>$0")
            ]
        case "uniquenessConstraint":
            return [
                item(
                    name, "<uniquenessConstraint>\n    <constraint value=\"${1:property}\"/>\n</uniquenessConstraint>$0"
                )
            ]
        case "constraint", "index": return [item(name, "<\(name) value=\"${1:property}\"/>$0")]
        case "userInfo":
            return [item(name, "<userInfo>\n    <entry key=\"$1\" value=\"$2\"/>\n</userInfo>$0")]
        case "entry": return [item(name, "<entry key=\"$1\" value=\"$2\"/>$0")]
        case "memberEntity": return [item(name, "<memberEntity name=\"${1:Entity}\"/>$0")]
        case "configuration":
            return [
                item(
                    name,
                    "<configuration name=\"${1:Name}\">\n    <memberEntity name=\"${2:Entity}\"/>\n</configuration>$0")
            ]
        case "composite":
            return [
                item(
                    name,
                    "<composite name=\"${1:Name}\">\n    <attribute name=\"${2:name}\" attributeType=\"String\"/>\n</composite>$0"
                )
            ]
        // People do not write the places of a diagram, and new models do not use the old forms of indexes.
        default: return []
        }
    }
}
