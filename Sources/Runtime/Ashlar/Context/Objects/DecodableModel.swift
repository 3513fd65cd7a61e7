/// A class that decodes more than the attributes of its row.
///
/// Adopt it in an extension of a generated class whose entity sets `ashlar.decodable`. Use it to decode relationships,
/// for example. `Values` decodes the attributes by their names; an `init(from:)` in an extension of `Values` replaces
/// that.
///
///     extension Author: DecodableModel {
///         enum Keys: CodingKey { case titles }
///
///         func didDecode(from decoder: any Decoder) throws {
///             let titles = try decoder.container(keyedBy: Keys.self).decode([String].self, forKey: .titles)
///             for title in titles { posts.append(Post(timestamp: .now, title: title)) }
///         }
///     }
///
/// The decoded object is in no context.
public protocol DecodableModel: PersistentModel {
    /// Decodes the rest of the object after its attributes are set.
    ///
    /// - Parameter decoder: The decoder that the attributes were decoded from.
    /// - Throws: Any error of decoding. The object is not created then.
    func didDecode(from decoder: any Decoder) throws
}

extension ManagedObject {
    /// Decodes the rest of the object after its attributes; generated code calls it.
    @_spi(Generated) public final func _ashlarDidDecode(from decoder: any Decoder) throws {
        try (self as? any DecodableModel)?.didDecode(from: decoder)
    }
}
