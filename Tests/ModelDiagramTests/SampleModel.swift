import DataModel

extension Model {
    /// A model with one of everything that a diagram shows, and with names that are reserved in some language.
    static let sample = Model(
        name: "Sample <1> & \"2\"",
        entities: [
            Entity(
                name: "日本語", isAbstract: true,
                attributes: [
                    Attribute(name: "place", type: .composite, isOptional: true, compositeName: "Place"),
                    Attribute(name: "#a;b", type: .string, isOptional: true, derivationExpression: "canonical:(naïve)"),
                ], userInfo: UserInfo([UserInfo.Entry(key: "documentation", value: "The <root> of all")])),
            Entity(
                name: "class", parentName: "日本語",
                relationships: [
                    Relationship(
                        name: "end", destinationName: "Quote \"<b>&}", inverseName: "$x*", isOptional: true),
                    Relationship(
                        name: "friends", destinationName: "class", inverseName: "friends", isOptional: true,
                        isToMany: true, deletionRule: .deny),
                ]),
            Entity(
                name: "Quote \"<b>&}",
                attributes: [
                    Attribute(name: "a\\b{c}~d~", type: .integer64),
                    Attribute(name: "cache", type: .undefined, isOptional: true, isTransient: true),
                ],
                relationships: [
                    Relationship(
                        name: "$x*", destinationName: "class", inverseName: "end", isOptional: false, isToMany: true,
                        isOrdered: true, minimumCount: 1, maximumCount: 5, deletionRule: .cascade),
                    Relationship(
                        name: "lone", destinationName: "class", isOptional: false, deletionRule: .noAction),
                ],
                fetchedProperties: [
                    FetchedProperty(name: "found", request: FetchRequest(name: "r", entityName: "class"))
                ],
                indexes: [
                    FetchIndex(
                        name: "i(1)", kind: .rtree,
                        elements: [
                            FetchIndex.Element(propertyName: "latitude"),
                            FetchIndex.Element(propertyName: "longitude", isAscending: false),
                        ], partialIndexPredicate: "a > \"1\"")
                ],
                uniquenessConstraints: [UniquenessConstraint(["a\\b{c}~d~", "lone"])]),
            Entity(name: "عربي", parentName: "class"),
        ],
        composites: [Composite(name: "Place", attributes: [Attribute(name: "latitude", type: .double)])])
}
