/// Why objects of a fixture cannot be inserted.
public struct FixtureError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Which object of the text, from 1 on; nil where it is about the text.
    public var position: Int?
    /// The object's entity, where it is known.
    public var entity: String?
    /// The property.
    public var property: String?
    /// What is wrong, and what is allowed, as a sentence.
    public var reason: String

    init(_ reason: String, position: Int? = nil, entity: String? = nil, property: String? = nil) {
        self.position = position
        self.entity = entity
        self.property = property
        self.reason = reason
    }

    /// Such as `Object 3, Post.title: It must not be null.`
    public var description: String {
        let name = [entity, property].compactMap(\.self).joined(separator: ".")
        let place = [position.map { "object \($0)" }, name.isEmpty ? nil : name].compactMap(\.self)
            .joined(separator: ", ")
        return "The fixture cannot be inserted\(place.isEmpty ? "" : " (\(place))"): \(reason)"
    }
}
