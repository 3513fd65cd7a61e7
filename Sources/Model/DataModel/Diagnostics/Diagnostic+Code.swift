extension Diagnostic {
    /// The stable names of all rules. A name never changes its meaning.
    public enum Code: String, Sendable, Hashable, Codable, CaseIterable {
        // Files and XML
        case unreadableFile = "unreadable-file"
        case malformedXML = "malformed-xml"
        case binaryModel = "binary-model"
        case emptyBundle = "empty-bundle"
        case missingCurrentVersion = "missing-current-version"
        case unknownElement = "unknown-element"
        case unknownAttribute = "unknown-attribute"
        case missingAttribute = "missing-attribute"
        case invalidValue = "invalid-value"
        case misspelledAttribute = "misspelled-attribute"
        case notAModel = "not-a-model"
        case laterVersion = "later-version"
        case ignoredMappingModel = "ignored-mapping-model"
        // User info
        case duplicateKey = "duplicate-key"
        case unknownKey = "unknown-key"
        case unknownSilencedCode = "unknown-silenced-code"
        // Configuration
        case invalidConfiguration = "invalid-configuration"
        case modelNotFound = "model-not-found"
        case unbuiltModel = "unbuilt-model"
        // Names
        case duplicateEntity = "duplicate-entity"
        case duplicateProperty = "duplicate-property"
        case duplicateIndex = "duplicate-index"
        case illegalName = "illegal-name"
        case reservedName = "reserved-name"
        case swiftName = "swift-name"
        case sharedRenamingIdentifier = "shared-renaming-identifier"
        // Attributes
        case unknownAttributeType = "unknown-attribute-type"
        case missingAttributeType = "missing-attribute-type"
        case invalidDefault = "invalid-default"
        case invalidRegularExpression = "invalid-regular-expression"
        case missingTransformer = "missing-transformer"
        case wrongTransformer = "wrong-transformer"
        case noEffect = "no-effect"
        // Composites
        case unknownComposite = "unknown-composite"
        case duplicateComposite = "duplicate-composite"
        case compositeCycle = "composite-cycle"
        case invalidComposite = "invalid-composite"
        case invalidDerivation = "invalid-derivation"
        case requiredDerivation = "required-derivation"
        case derivationCycle = "derivation-cycle"
        // Relationships and inheritance
        case unknownParent = "unknown-parent"
        case inheritanceCycle = "inheritance-cycle"
        case unknownDestination = "unknown-destination"
        case unknownInverse = "unknown-inverse"
        case inverseMismatch = "inverse-mismatch"
        case missingInverse = "missing-inverse"
        case orderedToOne = "ordered-to-one"
        case contradictoryCount = "contradictory-count"
        case noAction = "no-action"
        // Indexes and constraints
        case unknownIndexProperty = "unknown-index-property"
        case invalidIndex = "invalid-index"
        case redundantIndex = "redundant-index"
        case missingIndex = "missing-index"
        case invalidConstraint = "invalid-constraint"
        case invalidPredicate = "invalid-predicate"
        case redundantConstraint = "redundant-constraint"
        case constraintOnMandatoryDestination = "constraint-on-mandatory-destination"
        case invalidFetchRequest = "invalid-fetch-request"
        // Configurations of the model
        case duplicateConfiguration = "duplicate-configuration"
        case unknownMember = "unknown-member"
        case duplicateMember = "duplicate-member"
        case dividedConfiguration = "divided-configuration"
        // Migration
        case migrationNotInferrable = "migration-not-inferrable"
        case becomesAbstract = "becomes-abstract"
        case migrationUnproven = "migration-unproven"
        case invalidMigrationScript = "invalid-migration-script"
        case migrationScriptMayFail = "migration-script-may-fail"
        case dataLoss = "data-loss"
        case possibleRenaming = "possible-renaming"
        case staleAcknowledgement = "stale-acknowledgement"
        // The lock file
        case invalidLockFile = "invalid-lock-file"
        case releasedVersionChanged = "released-version-changed"
        // Size, and features that this release does not support
        case exceedsLimit = "exceeds-limit"
        case notSupported = "not-supported"

        /// Errors stop a build; other findings are advice.
        ///
        /// Some rules report a lower severity if a model works in spite of the mistake.
        public var defaultSeverity: Severity {
            switch self {
            case .unknownElement, .unknownAttribute, .misspelledAttribute, .duplicateKey, .unknownKey,
                .unknownSilencedCode, .reservedName, .sharedRenamingIdentifier, .missingTransformer, .wrongTransformer,
                .noEffect, .duplicateMember, .missingInverse, .orderedToOne, .contradictoryCount, .noAction,
                .laterVersion, .ignoredMappingModel, .constraintOnMandatoryDestination, .possibleRenaming,
                .missingIndex, .unbuiltModel, .migrationScriptMayFail, .becomesAbstract:
                .warning
            case .swiftName, .redundantIndex, .redundantConstraint, .dataLoss, .staleAcknowledgement: .note
            default: .error
            }
        }
    }
}
