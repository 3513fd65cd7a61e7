import Ashlar
import BenchmarkHarness
import CLoops
import Foundation
import GRDB

/// The connections of each contestant to the full store. A program keeps these open, so that they serve all rounds.
struct ReadConnections {
    let stores: Stores
    let forC: HandWrittenConnection
    let forSwift: HandWrittenConnection
    let container: ModelContainer
    let queue: DatabaseQueue

    init(_ stores: Stores) throws {
        self.stores = stores
        forC = try HandWrittenConnection(stores.full)
        forSwift = try HandWrittenConnection(stores.full)
        container = try stores.container(at: stores.full)
        queue = try DatabaseQueue.open(stores.full)
    }
}

extension Checksum {
    init(_ values: [Post.Values]) {
        self.init(values.lazy.map { PostValues($0) })
    }

    init(_ posts: [Post]) {
        self.init(posts.lazy.map { PostValues($0.values) })
    }
}

extension PostValues {
    init(_ values: Post.Values) {
        self.init(
            favorite: values.favorite, image: values.image, latitude: values.latitude, likes: values.likes,
            longitude: values.longitude, palette: values.palette, text: values.text, timestamp: values.timestamp,
            title: values.title, author: values.author?.rowID)
    }
}
