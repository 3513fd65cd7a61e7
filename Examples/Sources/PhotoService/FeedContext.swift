import Foundation
import Hummingbird

/// The context of a request, with the service's form of JSON: keys in a fixed order, and dates as text.
struct FeedContext: RequestContext {
    var coreContext: CoreRequestContextStorage

    init(source: ApplicationRequestContextSource) { coreContext = CoreRequestContextStorage(source: source) }

    static let maximumBodySize = 1 << 20

    var maxUploadSize: Int { Self.maximumBodySize }

    var responseEncoder: JSONEncoder { Self.encoder() }

    static func encoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}
