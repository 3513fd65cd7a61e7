import Ashlar
import Foundation

/// The same deletion in two ways: of objects, which are loaded for it and receive callbacks, and as a batch, which
/// loads nothing.
extension PhotoFeed {
    /// Deletes authors. Their posts and comments are deleted with them, and the comments on those posts.
    func deleteAuthors() throws {
        Screen.title("Deleting ten authors with their posts and comments")
        let objects = try measure("as objects") { context in
            for author in try context.fetch(Author.where { $0.name.hasPrefix("Amara ") }) { context.delete(author) }
            try context.save()
        }
        let batch = try measure("as a batch") { context in
            try context.batchDelete(Author.where { $0.name.hasPrefix("Bo ") })
        }
        var words = "The batch is \(Screen.ratio(batch.seconds, to: objects.seconds))"
        if let most = objects.bytes, let least = batch.bytes {
            words += "; the objects need \(Screen.times(Double(most) / Double(max(least, 4096)))) its memory"
        }
        print("\(words).")
    }

    /// Prints the time of a deletion, its memory, and the number of deleted objects.
    private func measure(
        _ name: String, _ delete: (ModelContext) throws -> Void
    ) throws -> (seconds: Double, bytes: Int?) {
        let before = try (context.fetchCount(Post.all), context.fetchCount(Comment.all))
        let deletion = try Memory.growth { try Screen.seconds { try delete(ModelContext(container)) } }
        let after = try (context.fetchCount(Post.all), context.fetchCount(Comment.all))
        var line = Screen.cell(name, 10) + Screen.cell(Screen.text(deletion.result.seconds), 10, isRight: true)
        if let bytes = deletion.bytes {
            line += Screen.cell(String(format: "%.1f MB", Double(bytes) / 1e6), 10, isRight: true) + " of memory"
        }
        print("\(line)   \(before.0 - after.0) posts and \(before.1 - after.1) comments are gone")
        return (deletion.result.seconds, deletion.bytes)
    }
}
