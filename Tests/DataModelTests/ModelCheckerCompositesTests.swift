import DataModel
import Testing

@Suite("Checks of composites")
struct ModelCheckerCompositesTests {
    private func composite(_ name: String, _ attributes: Attribute...) -> Composite {
        Composite(name: name, attributes: attributes)
    }

    private func inner(_ name: String, _ composite: String?, isOptional: Bool = false) -> Attribute {
        Attribute(name: name, type: .composite, isOptional: isOptional, compositeName: composite)
    }

    private func leaf(_ name: String, _ type: AttributeType = .string) -> Attribute {
        Attribute(name: name, type: type, isOptional: true)
    }

    private func findings(_ composites: Composite..., change: (inout Entity) -> Void = { _ in }) -> [String] {
        var thing = Entity(name: "Thing", attributes: composites.isEmpty ? [] : [inner("home", composites[0].name)])
        change(&thing)
        return DataModelTests.findings(Model(name: "Test", entities: [thing], composites: composites))
    }

    @Test func compositesAreLegal() {
        #expect(findings(composite("Place")).isEmpty)
        #expect(
            findings(
                composite("Place", leaf("street"), inner("point", "Point", isOptional: true), inner("other", "Point")),
                composite("Point", leaf("x", .double))
            ).isEmpty)
    }

    @Test func anUnknownCompositeIsAnError() {
        #expect(findings(composite("Place", inner("point", "Point"))) == ["error unknown-composite"])
        #expect(findings(composite("Place", inner("point", nil))) == ["error unknown-composite"])
        #expect(findings(composite("Place")) { $0.attributes[0].compositeName = "Plce" } == ["error unknown-composite"])
    }

    @Test func namesMustBeLegalAndDiffer() {
        #expect(findings(composite("Place"), composite("Place")) == ["error duplicate-composite"])
        #expect(findings(composite("Place"), composite("PLACE")).isEmpty)
        #expect(findings(composite("Place", leaf("a"), leaf("a"))) == ["error duplicate-property"])
        #expect(findings(composite("Place", leaf("a"), leaf("A"))) == ["error duplicate-property"])
        #expect(findings(composite("Place", leaf("a$b"))) == ["error illegal-name"])
        #expect(findings(composite("Pl ace", leaf("a"))) == ["error illegal-name"])
        #expect(findings(composite("Place", leaf("_ashlarX"))) == ["error reserved-name"])
    }

    @Test func leavesAreCheckedAsAttributesAre() {
        var wrong = leaf("a", .integer16)
        wrong.defaultValueString = "many"
        #expect(findings(composite("Place", wrong)) == ["error invalid-default"])
        #expect(findings(composite("Place", leaf("a", .undefined))) == ["error missing-attribute-type"])
        #expect(findings(composite("Place", leaf("a", .objectID))) == ["error not-supported"])
        #expect(findings(composite("Place", leaf("a", .transformable))) == ["warning missing-transformer"])
    }

    @Test func aLeafIsNeitherTransientNorDerived() {
        var transient = leaf("a")
        transient.isTransient = true
        #expect(findings(composite("Place", transient)) == ["error invalid-composite"])
        var derived = leaf("a")
        derived.derivationExpression = "now()"
        #expect(findings(composite("Place", derived)) == ["error invalid-composite"])
    }

    @Test func aCompositeHasNoOtherSwiftType() {
        let entry = UserInfo.Entry(key: "ashlar.swiftType", value: "Place")
        #expect(
            findings(composite("Place")) { $0.attributes[0].userInfo = UserInfo([entry]) } == [
                "warning invalid-composite"
            ])
    }

    @Test func aCompositeDoesNotContainItself() {
        #expect(findings(composite("A", inner("a", "A", isOptional: true))) == ["error composite-cycle"])
        #expect(
            findings(
                composite("A", inner("b", "B")), composite("B", inner("c", "C")), composite("C", inner("b", "B")),
                composite("D", inner("a", "A"))) == ["error composite-cycle"])
    }

    @Test func aCompositeIsNoLargerThanATable() {
        func chain(_ count: Int, width: Int, last: Int = 1) -> [Composite] {
            (0..<count).map { index in
                if index == count - 1 {
                    return Composite(name: "C\(index)", attributes: (0..<last).map { leaf("leaf\($0)") })
                }
                return Composite(
                    name: "C\(index)", attributes: (0..<width).map { inner("inner\($0)", "C\(index + 1)") })
            }
        }
        func check(_ composites: [Composite]) -> [String] {
            let thing = Entity(name: "Thing", attributes: [inner("home", "C0")])
            return DataModelTests.findings(Model(name: "Test", entities: [thing], composites: composites))
        }
        #expect(check(chain(16, width: 1)).isEmpty)
        #expect(check(chain(17, width: 1)) == ["error invalid-composite"])
        #expect(check(chain(2, width: 2, last: 1000)).isEmpty)
        #expect(check(chain(2, width: 2, last: 1001)) == ["error invalid-composite"])
        // The check is fast even if each level multiplies the number of attributes, or the chain is very long.
        #expect(check(chain(16, width: 10)).contains("error invalid-composite"))
        #expect(check(chain(20_000, width: 3)).contains("error invalid-composite"))
        let graph = ModelGraph(Model(name: "", composites: chain(16, width: 10)))
        #expect(graph.leaves(of: inner("home", "C0")).count <= Composite.greatestLeafCount)
    }

    @Test func leavesCanBeIndexedAndUnique() {
        let place = composite("Place", leaf("street"), inner("point", "Point"))
        let point = composite("Point", leaf("x", .double), leaf("y", .double))
        func index(_ names: String..., kind: FetchIndex.Kind = .binary) -> [String] {
            findings(place, point) { thing in
                thing.indexes = [FetchIndex(name: "by", kind: kind, elements: names.map { .init(propertyName: $0) })]
            }
        }
        #expect(index("home.street", "home.point.x").isEmpty)
        #expect(index("home.point.x", "home.point.y", kind: .rtree).isEmpty)
        #expect(index("home.street", kind: .rtree) == ["error invalid-index"])
        #expect(index("home.stret") == ["error unknown-index-property"])
        #expect(index("home.street.x") == ["error unknown-index-property"])
        #expect(index("home.") == ["error unknown-index-property"])
        #expect(index("home") == ["warning invalid-index"])
        func unique(_ name: String) -> [String] {
            findings(place, point) { $0.uniquenessConstraints = [UniquenessConstraint([name])] }
        }
        #expect(unique("home.point.x").isEmpty)
        #expect(unique("home") == ["error invalid-constraint"])
        #expect(unique("home.point") == ["error invalid-constraint"])
        #expect(unique("home.y") == ["error invalid-constraint"])
    }
}
