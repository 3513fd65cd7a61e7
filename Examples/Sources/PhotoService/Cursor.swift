import Ashlar
import Foundation

/// Where a page ended: the identifier of its last post, in letters that fit into a query.
///
/// A client hands it back as it is. It comes from outside then, and is looked at as closely as anything else from there.
struct Cursor: Equatable {
    let post: PersistentIdentifier

    init(_ post: PersistentIdentifier) { self.post = post }

    /// Reads what a client sent.
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
