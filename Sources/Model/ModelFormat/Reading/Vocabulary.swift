/// The contents that the format allows in one element.
struct ElementVocabulary {
    /// The attributes, whether they mean something here or not.
    var attributes: Set<String>
    /// Spellings in files from other tools and in hand-written files, with the ones that Core Data reads.
    var misspelledAttributes: [String: String] = [:]
    var children: Set<String> = []
    var misspelledChildren: [String: String] = [:]
    /// Whether everything within is ignored, as in the diagram's layout.
    var isIgnored = false
}

extension ElementVocabulary {
    /// The attributes that have no effect on generated code and on stores.
    static let inertAttributes: Set<String> = [
        "syncable", "codeGenerationType", "usesScalarValueType", "allowsCloudEncryption", "spotlightIndexingEnabled",
        "storedInTruthFile", "coreSpotlightDisplayNameExpression", "usedWithCloudKit", "usedWithSwiftData",
        "lastSavedToolsVersion", "systemVersion", "minimumToolsVersion", "sourceLanguage",
    ]

    /// The vocabulary of every element, by its name.
    ///
    /// Attributes for synchronisation, Spotlight, CloudKit, code generation and the diagram are accepted silently:
    /// every model has them, and they do not change the store.
    static let all: [String: ElementVocabulary] = [
        "model": ElementVocabulary(
            attributes: [
                "type", "documentVersion", "lastSavedToolsVersion", "systemVersion", "minimumToolsVersion",
                "userDefinedModelVersionIdentifier", "sourceLanguage", "macOSVersion", "iOSVersion", "name",
                "usedWithSwiftData", "usedWithCloudKit",
            ],
            children: ["entity", "fetchRequest", "configuration", "composite", "elements", "userInfo"],
            misspelledChildren: ["compositeAttribute": "composite"]),
        "entity": ElementVocabulary(
            attributes: [
                "name", "representedClassName", "syncable", "parentEntity", "isAbstract", "codeGenerationType",
                "versionHashModifier", "elementID", "coreSpotlightDisplayNameExpression",
                "spotlightIndexingEnabled",
            ],
            misspelledAttributes: [
                "abstract": "isAbstract", "parent": "parentEntity", "class": "representedClassName",
                "className": "representedClassName", "superentity": "parentEntity",
            ],
            children: [
                "attribute", "relationship", "fetchedProperty", "fetchIndex", "uniquenessConstraints",
                "compoundIndexes", "userInfo",
            ]),
        "attribute": ElementVocabulary(
            attributes: [
                "name", "attributeType", "optional", "transient", "usesScalarValueType", "defaultValueString",
                "defaultDateTimeInterval", "minValueString", "maxValueString", "minDateTimeInterval",
                "maxDateTimeInterval", "regularExpressionString", "valueTransformerName", "customClassName",
                "allowsExternalBinaryDataStorage", "preserveAfterDeletion", "allowsCloudEncryption",
                "spotlightIndexingEnabled", "storedInTruthFile", "indexed", "derived", "derivationExpression",
                "composite", "versionHashModifier", "elementID", "syncable",
            ],
            misspelledAttributes: [
                "defaultValue": "defaultValueString", "default": "defaultValueString", "type": "attributeType",
                "minValue": "minValueString", "maxValue": "maxValueString", "isOptional": "optional",
                "isTransient": "transient", "isIndexed": "indexed", "isDerived": "derived",
                "regularExpression": "regularExpressionString", "valueTransformer": "valueTransformerName",
                "preservesValueInHistoryOnDeletion": "preserveAfterDeletion",
                "attributeValueClassName": "customClassName", "compositeName": "composite",
                "allowsExternalBinaryStorage": "allowsExternalBinaryDataStorage",
            ],
            children: ["userInfo"]),
        "relationship": ElementVocabulary(
            attributes: [
                "name", "destinationEntity", "optional", "toMany", "minCount", "maxCount", "ordered", "deletionRule",
                "inverseName", "inverseEntity", "transient", "indexed", "elementID",
                "versionHashModifier", "syncable", "spotlightIndexingEnabled", "storedInTruthFile",
            ],
            misspelledAttributes: [
                "destination": "destinationEntity", "inverse": "inverseName", "inverseRelationship": "inverseName",
                "deleteRule": "deletionRule", "isOptional": "optional", "isTransient": "transient",
                "isOrdered": "ordered", "isToMany": "toMany",
            ],
            children: ["userInfo"]),
        "fetchedProperty": ElementVocabulary(
            attributes: [
                "name", "optional", "transient", "syncable", "versionHashModifier", "elementID",
                "spotlightIndexingEnabled",
            ],
            children: ["fetchRequest", "userInfo"]),
        "fetchRequest": ElementVocabulary(
            attributes: [
                "name", "entity", "predicateString", "fetchLimit", "fetchBatchSize", "resultType", "includeSubentities",
                "includePropertyValues", "returnObjectsAsFaults", "includesPendingChanges", "returnDistinctResults",
            ],
            misspelledAttributes: ["predicate": "predicateString", "entityName": "entity"]),
        "fetchIndex": ElementVocabulary(
            attributes: ["name", "partialIndexPredicate"], children: ["fetchIndexElement", "userInfo"]),
        "fetchIndexElement": ElementVocabulary(
            attributes: ["property", "type", "order", "expression", "expressionType"]),
        "uniquenessConstraints": ElementVocabulary(attributes: [], children: ["uniquenessConstraint"]),
        "uniquenessConstraint": ElementVocabulary(attributes: [], children: ["constraint"]),
        "constraint": ElementVocabulary(attributes: ["value"]),
        "compoundIndexes": ElementVocabulary(attributes: [], children: ["compoundIndex"]),
        "compoundIndex": ElementVocabulary(attributes: [], children: ["index"]),
        "index": ElementVocabulary(attributes: ["value"]),
        "composite": ElementVocabulary(
            attributes: ["name", "elementID", "versionHashModifier"],
            children: ["attribute", "userInfo"]),
        "configuration": ElementVocabulary(attributes: ["name", "usedWithCloudKit"], children: ["memberEntity"]),
        "memberEntity": ElementVocabulary(attributes: ["name"]),
        "userInfo": ElementVocabulary(attributes: [], children: ["entry"]),
        "entry": ElementVocabulary(attributes: ["key", "value"]),
        "elements": ElementVocabulary(attributes: [], isIgnored: true),
    ]
}
