extension ModelChecker {
    /// Configurations must have unique names and entities of the model, and must not separate related entities.
    mutating func checkConfigurations() {
        if model.configurations.isEmpty { return }
        var names: Set<String> = []
        for configuration in model.configurations where !names.insert(configuration.name).inserted {
            report(
                .duplicateConfiguration, at: configuration.location,
                "There are several configurations '\(configuration.name)'",
                notes: ["A container names a configuration by its name; give each another"],
                fixes: [.removing(configuration.location, "Remove this configuration")], attribute: "name")
        }
        for configuration in model.configurations { checkMembers(of: configuration) }
        let groups = EntityGroups.groups(of: model)
        for configuration in model.configurations { checkDivisions(by: configuration, groups) }
    }

    private mutating func checkMembers(of configuration: Configuration) {
        var names: Set<String> = []
        for member in configuration.members {
            let title = "Configuration '\(configuration.name)'"
            if tree.indexes[member.entityName] == nil {
                let proposal = proposal(for: member.entityName, among: .entities)
                report(
                    .unknownMember, at: member.location,
                    "\(title) has the entity '\(member.entityName)', which is not in the model",
                    notes: [proposal?.note],
                    fixes: [
                        proposal?.fix("name", of: member.location), .removing(member.location, "Remove the member"),
                    ], attribute: "name")
            } else if !names.insert(member.entityName).inserted {
                report(
                    .duplicateMember, at: member.location, "\(title) has the entity '\(member.entityName)' twice",
                    fixes: [.removing(member.location, isSafe: true, "Remove the second")])
            }
        }
    }

    /// A store has all entities of a group or none. A configuration with a part of a group only helps if an earlier
    /// configuration of the container has all of it.
    private mutating func checkDivisions(by configuration: Configuration, _ groups: [[String]]) {
        let members = Set(configuration.entityNames)
        let concerned = groups.filter { !members.isDisjoint(with: $0) }
        let divided = concerned.filter { !members.isSuperset(of: $0) }
        for group in divided {
            guard let (member, reason) = division(of: group, in: configuration, members) else { continue }
            let missing = group.filter { !members.contains($0) }
            let isUseless = divided.count == concerned.count
            report(
                .dividedConfiguration, isUseless ? .error : .warning, at: member.location,
                "Configuration '\(configuration.name)' divides entities that must be in one store: \(reason)",
                notes: [
                    isUseless
                        ? "No container can be opened in which a store of this configuration holds anything"
                        : "No container can be opened in which '\(member.entityName)' goes to this configuration",
                    "Add \(missing.map { "'\($0)'" }.joined(separator: ", ")) to the configuration, or take "
                        + "'\(member.entityName)' out of it and use a fetched property where it must be found from others",
                ],
                fixes: [
                    Diagnostic.Fix(
                        "Add the missing entities",
                        missing.map {
                            Diagnostic.Change(
                                configuration.location,
                                .addChild(Diagnostic.NewElement("memberEntity", ["name": $0])))
                        })
                ], attribute: "name")
        }
    }

    /// A member of a configuration that is related to an entity outside it, and the reason.
    private func division(
        of group: [String], in configuration: Configuration, _ members: Set<String>
    ) -> (Configuration.Member, String)? {
        for member in configuration.members where group.contains(member.entityName) {
            guard let index = tree.indexes[member.entityName] else { continue }
            let entity = model.entities[index]
            if let parent = entity.parentName, tree.indexes[parent] != nil, !members.contains(parent) {
                return (member, "'\(entity.name)' is in the table of its parent '\(parent)', which is not in it")
            }
            if let child = model.entities.first(where: { $0.parentName == entity.name && !members.contains($0.name) }) {
                return (member, "'\(child.name)', which is not in it, is in the table of its parent '\(entity.name)'")
            }
            for relationship in entity.relationships where !relationship.isTransient {
                if let other = relationship.entityNames.first(where: {
                    tree.indexes[$0] != nil && !members.contains($0)
                }) {
                    return (member, "'\(entity.name).\(relationship.name)' leads to '\(other)', which is not in it")
                }
            }
        }
        // Relationships that lead into the configuration from outside.
        for entity in model.entities where group.contains(entity.name) && !members.contains(entity.name) {
            for relationship in entity.relationships where !relationship.isTransient {
                guard
                    let member = configuration.members.first(where: {
                        relationship.entityNames.contains($0.entityName)
                    })
                else { continue }
                return (
                    member,
                    "'\(entity.name).\(relationship.name)' leads to '\(member.entityName)', and '\(entity.name)' is not in it"
                )
            }
        }
        return nil
    }
}
