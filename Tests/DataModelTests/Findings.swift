import DataModel

/// The findings about a model, each as its severity and code.
func findings(_ model: Model) -> [String] {
    ModelChecker.check(model).all.map { "\($0.severity) \($0.code.rawValue)" }
}

/// The findings about a model with these entities.
func findings(_ entities: Entity...) -> [String] {
    findings(Model(name: "Test", entities: entities))
}

/// An entity with one attribute called `value`, which is a string unless it is said otherwise.
func entity(_ name: String = "Thing", type: AttributeType = .string, change: (inout Attribute) -> Void = { _ in })
    -> Entity
{
    var attribute = Attribute(name: "value", type: type, isOptional: true)
    change(&attribute)
    return Entity(name: name, attributes: [attribute])
}
