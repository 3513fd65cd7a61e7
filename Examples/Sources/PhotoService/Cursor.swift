import Ashlar
import Foundation

/// The end of a page: the identifier of its last post, in letters that fit into a query.
///
/// A client returns it as it is. It then comes from outside, and is checked as closely as any other input.
struct Cursor: Equatable {
    let post: PersistentIdentifier

    init(_ post: PersistentIdentifier) { self.post = post }

    /// Reads the text that a client sent.
    ///
    /// - Throws: ``ServiceError/invalidCursor`` unless it is the identifier of a post in a store that is open.
    init(_ text: String) throws(ServiceError) {
        var base64 = text.replacing("-", with: "+").replacing("_", with: "/")
        base64 += String(repeating: "=", count: (4 - base64.count % 4) % 4)
        guard let data = Data(base64Encoded: base64), let uri = String(data: data, encoding: .utf8),
            let url = URL(string: uri), let identifier = PersistentIdentifier(uriRepresentation: url),
            identifier.entityName == "Post"
        else { throw .invalidCursor }
        post = identifier
    }

    var text: String {
        Data(post.uriRepresentation.absoluteString.utf8).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
