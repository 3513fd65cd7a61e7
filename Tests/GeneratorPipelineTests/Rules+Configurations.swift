import DataModel

extension Rule {
    /// Findings about configurations of the model.
    static let ofConfigurations = [
        Rule(
            .duplicateConfiguration,
            #"<entity name="A"/><configuration name="C"/><configuration ▸name="C"/>"#,
            #"<entity name="A"/><configuration name="C"/>"#),
        Rule(
            .unknownMember,
            #"<entity name="Apple"/><configuration name="C"><memberEntity ▸name="Aple"/></configuration>"#,
            #"<entity name="Apple"/><configuration name="C"><memberEntity name="Apple"/></configuration>"#,
            #"<entity name="Apple"/><configuration name="C"></configuration>"#),
        Rule(
            .duplicateMember,
            #"<entity name="A"/><configuration name="C"><memberEntity name="A"/>▸<memberEntity name="A"/></configuration>"#,
            #"✓ <entity name="A"/><configuration name="C"><memberEntity name="A"/></configuration>"#),
        Rule(
            .dividedConfiguration, .error,
            #"<entity name="A"/><entity name="B" parentEntity="A"/><configuration name="C"><memberEntity ▸name="B"/></configuration>"#,
            #"<entity name="A"/><entity name="B" parentEntity="A"/><configuration name="C"><memberEntity name="B"/><memberEntity name="A"/></configuration>"#
        ),
        Rule(
            .dividedConfiguration, .warning,
            #"<entity name="A"/><entity name="B" parentEntity="A"/><entity name="D"/><configuration name="C"><memberEntity name="D"/><memberEntity ▸name="A"/></configuration>"#,
            #"<entity name="A"/><entity name="B" parentEntity="A"/><entity name="D"/><configuration name="C"><memberEntity name="D"/><memberEntity name="A"/><memberEntity name="B"/></configuration>"#
        ),
    ]
}
