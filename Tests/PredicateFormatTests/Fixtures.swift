import Foundation
import PredicateFormat

/// A few entities: posts of authors with tags, and videos, which are posts.
struct Blog: PredicateSchema {
    private static let posts: [String: PropertyDescription] = [
        "title": .attribute(.string), "likes": .attribute(.integer32), "rank": .attribute(.integer16),
        "score": .attribute(.double), "price": .attribute(.decimal), "date": .attribute(.date),
        "isRead": .attribute(.boolean), "identifier": .attribute(.uuid), "link": .attribute(.uri),
        "image": .attribute(.binary), "colors": .attribute(.transformable), "place": .composite(name: "Place"),
        "draft": .unusable(reason: "it is transient"), "author": .toOne(destination: "Author"),
        "tags": .toMany(destination: "Tag", isOrdered: false), "size": .attribute(.integer64),
        "related": .toMany(destination: "Post", isOrdered: true), "latitude": .attribute(.double),
        "words": .fullText,
    ]

    private static let entities: [PropertyOwner: [String: PropertyDescription]] = [
        .entity("Post"): posts,
        .entity("Video"): posts.merging(["duration": .attribute(.double)]) { first, _ in first },
        .entity("Author"): [
            "name": .attribute(.string), "age": .attribute(.integer16),
            "posts": .toMany(destination: "Post", isOrdered: false),
            "favorite": .toOne(destination: "Video"),
        ],
        .entity("Tag"): ["name": .attribute(.string), "posts": .toMany(destination: "Post", isOrdered: false)],
        .composite("Place"): ["city": .attribute(.string), "height": .attribute(.double)],
    ]

    func property(named name: String, of owner: PropertyOwner) -> PropertyDescription? { Self.entities[owner]?[name] }

    func propertyNames(of owner: PropertyOwner) -> [String] { Self.entities[owner].map { Array($0.keys) } ?? [] }

    func isEntity(_ entity: String, kindOf ancestor: String) -> Bool {
        Self.entities[.entity(entity)] != nil && (entity == ancestor || (entity == "Video" && ancestor == "Post"))
    }

    func entityNames(kindOf entity: String) -> [String] { entity == "Post" ? ["Video", "Post"] : [entity] }

    func indexNames(of entity: String) -> [String] { entity == "Post" ? ["byLocation"] : [] }
}

/// An error in a text, described by its code, the marked part of the text, the message and the hint.
func summary(_ error: PredicateFormatError, in text: String) -> String {
    let bytes = Array(text.utf8)
    let part = String(decoding: bytes[error.range.clamped(to: 0..<bytes.count)], as: UTF8.self)
    return "\(error.code.rawValue) «\(part)» \(error.message)" + (error.hint.map { "; \($0)" } ?? "")
}

/// The canonical form of a predicate, or its error.
func parse(_ text: String) -> String {
    do throws(PredicateFormatError) {
        return try ParsedPredicate(parsing: text).description
    } catch {
        return summary(error, in: text)
    }
}

/// The canonical form of an expression, or its error.
func parseExpression(_ text: String) -> String {
    do throws(PredicateFormatError) {
        return try ParsedExpression(parsing: text).description
    } catch {
        return summary(error, in: text)
    }
}

/// The resolution of a predicate about posts.
func resolve(
    _ text: String, entity: String = "Post", variables: [String: ResolvedType] = [:]
) throws -> Resolution<ResolvedPredicate> {
    PredicateResolver(schema: Blog(), entity: entity, variables: variables).resolve(try ParsedPredicate(parsing: text))
}

/// The errors of a predicate about posts.
func errors(_ text: String, entity: String = "Post") throws -> [String] {
    try resolve(text, entity: entity).errors.map { summary($0, in: text) }
}
