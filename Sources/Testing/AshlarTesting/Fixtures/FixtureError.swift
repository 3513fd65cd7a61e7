/// An error in the text of a fixture.
///
///     do {
///         _ = try context.insertFixture(typed)
///     } catch let error as FixtureError {
///         print(error.position ?? 0, error.reason)
///     }
public struct FixtureError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The position of the object in the text, from 1; nil if the error concerns the text.
    public var position: Int?
    /// The object's entity, if it is known.
    public var entity: String?
    /// The property.
    public var property: String?
    /// A description of the problem and of valid values, as a sentence.
    public var reason: String

    init(_ reason: String, position: Int? = nil, entity: String? = nil, property: String? = nil) {
        self.position = position
        self.entity = entity
        self.property = property
        self.reason = reason
    }

    /// The error as text, such as `Object 3, Post.title: It must not be null.`
    public var description: String {
        let name = [entity, property].compactMap(\.self).joined(separator: ".")
        let place = [position.map { "object \($0)" }, name.isEmpty ? nil : name].compactMap(\.self)
            .joined(separator: ", ")
        return "The fixture cannot be inserted\(place.isEmpty ? "" : " (\(place))"): \(reason)"
    }
}
