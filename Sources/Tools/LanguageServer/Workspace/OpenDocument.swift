/// A document that the client has open.
struct OpenDocument {
    /// The URI as the client writes it.
    var uri: String
    var path: String
    var place: ModelPath
    /// The number that the client gives the text.
    var version: Int?
    var text: DocumentText
}
