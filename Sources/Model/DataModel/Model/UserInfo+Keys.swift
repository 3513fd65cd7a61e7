extension UserInfo {
    /// The key of the entry that lists the codes of findings not to report.
    package static let silenceKey = "ashlar.silence"

    /// The key of the entry of an attribute with the value that objects of older versions get where they have none.
    package static let migrationDefaultKey = "ashlar.migrationDefault"

    /// The key of the entry that has a migration look whether a change loses anything, and refuse the store if it does.
    package static let migrationCheckKey = "ashlar.migrationCheck"

    /// The only value of ``migrationCheckKey``.
    package static let losslessCheck = "lossless"

    /// The key of the entry that names the things that this version removed: on a model, entities; on an entity,
    /// properties.
    package static let removedKey = "ashlar.removed"

    /// The key of the entry of an entity that names the constraints for which a migration deletes duplicates.
    package static let deletesDuplicatesKey = "ashlar.deletesDuplicates"

    /// The key of the entry of an attribute with the Swift type of its values.
    package static let swiftTypeKey = "ashlar.swiftType"

    /// The key of the entry of an attribute with the Swift type that transforms its values.
    package static let transformerKey = "ashlar.transformer"

    /// The key of the entry of an attribute with the case that raw values are read as which its type does not have.
    package static let unknownValueKey = "ashlar.unknownValue"

    /// The key of the entry of an entity with the name of the generated class, if the program itself declares the
    /// entity's class, which inherits from the generated one.
    package static let generatedClassKey = "ashlar.generatedClass"

    /// The key of the entry of a root entity with a class of the program's own that its class inherits from.
    package static let superclassKey = "ashlar.superclass"

    /// The key of the entry of an entity whose class, and the classes below it, can be decoded.
    package static let decodableKey = "ashlar.decodable"

    /// The key of the entry of an entity with the attribute whose value represents an object to people.
    package static let titleKey = "ashlar.title"

    /// The key of the entry that resolves conflicting changes in stores that follow one log. On an attribute or a
    /// relationship, it decides which change counts; on an entity, whether a change restores a deleted object.
    package static let syncKey = "ashlar.sync"

    /// The key of the entry of an attribute that determines when its large values are read from a log that a store
    /// follows.
    package static let syncLargeValuesKey = "ashlar.sync.largeValues"

    /// The keys that Ashlar gives a meaning.
    package static let keys: Set<String> = [
        silenceKey, indexKey, swiftTypeKey, transformerKey, "ashlar.encoding", migrationDefaultKey,
        migrationCheckKey, removedKey, deletesDuplicatesKey, unknownValueKey, generatedClassKey, superclassKey,
        decodableKey, titleKey,
        syncKey, syncLargeValuesKey,
    ]

    /// The names in the value of an entry, which are separated by commas or spaces.
    package func names(_ key: String) -> [String] {
        (self[key] ?? "").split { $0 == "," || $0.isWhitespace }.map(String.init)
    }

    /// Whether a migration makes a change that could lose data, after checking that it does not.
    package var asksForLosslessCheck: Bool { self[Self.migrationCheckKey] == Self.losslessCheck }

    /// The key that makes an index of an attribute. On an entity, followed by a point and the name of an index, it
    /// gives that index's kind.
    package static let indexKey = "ashlar.index"

    /// The options of a full-text index: the last parts of keys such as `ashlar.index.search.tokenizer`.
    package static let indexOptions = ["prefixes", "tokenizer", "weights"]
}

/// The value of the entry that silences findings.
package enum SilencedCodes {
    /// The codes of a value, which are separated by commas or spaces.
    package static func parse(_ value: String) -> [String] {
        value.split { $0 == "," || $0.isWhitespace }.map(String.init)
    }
}
