import DataModel
import Testing

@Suite("Configurations")
struct ModelCheckerConfigurationsTests {
    private static func relationship(_ name: String, _ destination: String) -> Relationship {
        Relationship(name: name, destinationName: destination, inverseName: name, inverseEntityName: destination)
    }

    /// Two entities that are related, one below one of them, and one by itself.
    private func model(_ configurations: (String, [String])...) -> Model {
        Model(
            name: "Test",
            entities: [
                Entity(name: "Left", relationships: [Self.relationship("pair", "Right")]),
                Entity(name: "Right", relationships: [Self.relationship("pair", "Left")]),
                Entity(name: "Lower", parentName: "Left"), Entity(name: "Alone"),
            ],
            configurations: configurations.map { name, entities in
                Configuration(name: name, members: entities.map { Configuration.Member(entityName: $0) })
            })
    }

    @Test func configurationsOfWholeGroupsAreFine() {
        #expect(findings(model(("A", ["Left", "Lower", "Right"]), ("B", ["Alone"]), ("C", []))).isEmpty)
        // Some container can use each of several that overlap.
        #expect(findings(model(("A", ["Left", "Lower", "Right", "Alone"]), ("B", ["Alone"]))).isEmpty)
    }

    @Test(arguments: [["Left"], ["Left", "Right"], ["Lower"], ["Right"], ["Left", "Lower"]])
    func aConfigurationThatDividesAllThatItHasIsAnError(_ entities: [String]) {
        #expect(findings(model(("A", entities))) == ["error divided-configuration"])
        #expect(findings(model(("A", entities + ["Alone"]))) == ["warning divided-configuration"])
    }

    @Test func transientRelationshipsAndFetchedPropertiesDivideNothing() {
        var divided = model(("A", ["Left", "Lower"]), ("B", ["Right"]))
        for index in divided.entities.indices where !divided.entities[index].relationships.isEmpty {
            divided.entities[index].relationships[0].isTransient = true
        }
        #expect(findings(divided).isEmpty)
    }

    @Test func groupsAreWhatParentsAndRelationshipsConnect() {
        let model = model()
        #expect(EntityGroups.groups(of: model) == [["Alone"], ["Left", "Lower", "Right"]])
        var newer = model
        newer.entities.removeAll { $0.name == "Right" }
        newer.entities[0].relationships = []
        newer.entities.append(Entity(name: "Other", renamingIdentifier: "Alone"))
        newer.entities.append(Entity(name: "New"))
        let groups = EntityGroups.groups(from: model, to: newer).map { "\($0.old) \($0.new)" }
        #expect(
            groups == [
                #"["Alone"] ["Alone", "Other"]"#, #"["Left", "Lower", "Right"] ["Left", "Lower"]"#, #"[] ["New"]"#,
            ])
    }
}
