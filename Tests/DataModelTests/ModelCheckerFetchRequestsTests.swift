import DataModel
import Testing

/// The checker's findings in fetch request templates and fetched properties.
@Suite struct ModelCheckerFetchRequestsTests {
    private func model(_ requests: FetchRequest..., properties: [FetchedProperty] = []) -> Model {
        var post = Entity(
            name: "Post",
            attributes: [Attribute(name: "title", type: .string), Attribute(name: "likes", type: .integer64)])
        post.fetchedProperties = properties
        return Model(name: "Model", entities: [post], fetchRequests: requests)
    }

    private func request(_ name: String, _ entity: String = "Post", _ predicate: String? = nil) -> FetchRequest {
        var request = FetchRequest(
            name: name, entityName: entity, predicate: predicate,
            location: SourceLocation(file: "f", line: 3, column: 5))
        request.predicateLocation = StringLocation(start: SourceLocation(file: "f", line: 3, column: 40))
        return request
    }

    private func findings(_ model: Model) -> [String] {
        ModelChecker.check(model).all.map { "\($0.location.column) \($0.code.rawValue): \($0.message)" }
    }

    @Test func soundRequests() {
        #expect(findings(model(request("all"), request("popular", "Post", "likes > $minimum"))).isEmpty)
    }

    @Test func entitiesAndNames() {
        #expect(
            findings(model(request("a", "Pots"))) == [
                "5 invalid-fetch-request: Fetch request template 'a' fetches objects of 'Pots', which is not an entity of "
                    + "the model"
            ])
        #expect(
            findings(model(request("by name"), request("ByName"))).map { $0.prefix(23) } == ["5 invalid-fetch-request"])
    }

    @Test func mistakesHaveTheirPlaceInThePredicate() {
        #expect(
            findings(model(request("a", "Post", "title == 'x' AND lik > 1"))) == [
                "57 invalid-predicate: Fetch request template 'a': Post has no property 'lik'"
            ])
        #expect(findings(model(request("a", "Post", "title =="))).count == 1)
        #expect(findings(model(request("a", "Post", "title == %@"))).count == 1)
        #expect(findings(model(request("a", "Post", "$x == nil"))).count == 1)
        #expect(findings(model(request("a", "Post", "random() > 1"))).count == 1)
    }

    @Test func variablesOfFetchedProperties() {
        func property(_ predicate: String) -> FetchedProperty {
            FetchedProperty(
                name: "similar", request: request("fetchedPropertyFetchRequest", "Post", predicate),
                userInfo: UserInfo([UserInfo.Entry(key: "start", value: "x")]))
        }
        #expect(
            findings(
                model(
                    properties: [
                        property("title == $FETCH_SOURCE.title AND title BEGINSWITH $FETCHED_PROPERTY.userInfo.start")
                    ])
            ).isEmpty)
        #expect(findings(model(properties: [property("likes > $least")])).count == 1)
        #expect(findings(model(properties: [property("title == $FETCH_SOURCE.likes")])).count == 1)
    }
}
