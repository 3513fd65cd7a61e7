import DataModel
import Foundation
import RelationalSchema

@testable import IndexAdvice

/// A model to be advised on, with the queries of its templates.
struct Feed {
    var model: Model

    /// Some other model.
    init(model: Model) { self.model = model }

    /// A feed of posts with authors; indexes and templates are given.
    init(
        indexes: [FetchIndex] = [], templates: [String] = [], entity: String = "Post", userInfo: UserInfo = UserInfo()
    ) {
        let author = Entity(
            name: "Author",
            attributes: [
                Attribute(name: "name", type: .string), Attribute(name: "email", type: .string, isOptional: true),
            ],
            relationships: [
                Relationship(
                    name: "posts", destinationName: "Post", inverseName: "author", isOptional: true, isToMany: true,
                    deletionRule: .cascade)
            ])
        let post = Entity(
            name: "Post",
            attributes: [
                Attribute(name: "title", type: .string), Attribute(name: "date", type: .date),
                Attribute(name: "likes", type: .integer64), Attribute(name: "isRead", type: .boolean),
                Attribute(name: "kind", type: .integer16), Attribute(name: "deletedAt", type: .date, isOptional: true),
                Attribute(name: "latitude", type: .double), Attribute(name: "longitude", type: .double),
                Attribute(name: "price", type: .decimal),
            ],
            relationships: [
                Relationship(
                    name: "author", destinationName: "Author", inverseName: "posts", isOptional: true,
                    isToMany: false, deletionRule: .nullify)
            ], indexes: indexes, userInfo: userInfo)
        let article = Entity(
            name: "Article", parentName: "Post", attributes: [Attribute(name: "words", type: .integer32)])
        model = Model(name: "Feed", entities: [author, post, article])
        model.fetchRequests = templates.enumerated().map { number, predicate in
            FetchRequest(
                name: "template\(number)", entityName: entity, predicate: predicate.isEmpty ? nil : predicate,
                location: SourceLocation(file: "contents", line: 100 + number, column: 5))
        }
    }

    var schema: Schema { Schema(ModelGraph(model)) }

    var advice: IndexAdvice { IndexAdvisor(schema).advice(on: IndexAdvisor.queries(of: schema)) }

    /// The advice on statements that a program ran; `Post` in quotation marks stands for all columns of one table.
    func advice(on statements: [String], usage: RecordedUsage? = nil) -> IndexAdvice {
        IndexAdvisor(schema).advice(on: statements.map { AdvisedQuery(origin: .recorded, sql: $0, usage: usage) })
    }

    /// The feed with all advised indexes.
    func following(_ advice: IndexAdvice) -> Feed {
        var result = self
        for addition in advice.additions {
            guard let position = model.entities.firstIndex(where: { $0.name == addition.index.entityName }) else {
                continue
            }
            result.model.entities[position].indexes.append(
                FetchIndex(
                    name: addition.name, kind: addition.index.kind,
                    elements: addition.index.elements.map {
                        FetchIndex.Element(propertyName: $0.propertyName, isAscending: !$0.isDescending)
                    }, partialIndexPredicate: addition.index.partialIndexPredicate))
        }
        return result
    }
}

extension IndexAdvice {
    /// The additions, in short: `Post(author, date DESC)`.
    var summary: [String] {
        additions.map { addition in
            let elements = addition.index.elements.map { $0.propertyName + ($0.isDescending ? " DESC" : "") }
            return "\(addition.index.entityName)(\(elements.joined(separator: ", ")))"
                + (addition.index.kind == .rtree ? " R-tree" : "")
                + (addition.index.partialIndexPredicate.map { " where \($0)" } ?? "")
        }
    }
}
