import Ashlar
import BenchmarkHarness
import CLoops
import Foundation

/// Deletes an author with a tenth of the posts and their comments, and saves. The loop leaves the posts and comments to
/// foreign keys.
struct DeleteAuthor: Workload {
    static let name = "delete an author"
    static let unit = "a tenth of the rows"
    static let contestants: [Contestant] = [.swiftLoop, .ashlar, .grdbRecord]

    private let stores: GraphStores
    private let template: URL

    init(_ stores: GraphStores) throws {
        self.stores = stores
        template = try stores.taggedPosts()
    }

    func run(_ contestant: Contestant, _ round: Round) throws {
        let proofs = ["Author", "Post", "Comment"].map {
            "SELECT \"id$\", \"version$\" FROM \"\($0)\" ORDER BY \"id$\""
        }
        try stores.withCopy(of: template, round, proofs + [AppendTags.proof]) { url in
            switch contestant {
            case .swiftLoop:
                let connection = try HandWrittenConnection(url)
                let delete = try connection.prepare(#"DELETE FROM "Author" WHERE "id$" = ?1"#)
                try round.measure { try connection.transaction { try delete.run { $0.bind(1, 1) } } }
            case .grdbRecord: try GRDBReader(url).deleteAuthor(round, 1)
            default:
                let context = ModelContext(try stores.container(url))
                guard let author = try context.fetchFirst(Author.where { $0.name == "Author 1" }) else { return }
                try round.measure {
                    context.delete(author)
                    try context.save()
                }
            }
        }
    }
}
