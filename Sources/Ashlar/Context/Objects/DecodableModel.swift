/// A class that takes in more of what it is decoded from than the attributes of its row.
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
/// The entity says with `ashlar.decodable` that its class is `Decodable`. Its attributes are what `Values` decodes, by
/// their names, or as an `init(from:)` of yours in an extension of `Values` says. The object is in no context then.
public protocol DecodableModel: PersistentModel {
    /// Called once the attributes are set, on the object that was made.
    ///
    /// Throws whatever decoding throws; the object is not made then.
    func didDecode(from decoder: any Decoder) throws
}

extension ManagedObject {
    /// Has the object take in what its attributes do not; generated code calls it.
    @_spi(Generated) public final func _ashlarDidDecode(from decoder: any Decoder) throws {
        try (self as? any DecodableModel)?.didDecode(from: decoder)
    }
}
