public import SystemFoundation

/// The position of an entity in its model, which replaces the name in identifiers to keep them small.
@frozen @usableFromInline
package struct EntityNumber: Sendable, Hashable {
    /// The number of the hierarchy's root, whose table holds the row.
    @usableFromInline package var root: UInt16
    /// The number of the entity itself, or of the declared destination if only that is known.
    @usableFromInline package var entity: UInt16

    @inlinable
    package init(root: UInt16, entity: UInt16) {
        self.root = root
        self.entity = entity
    }
}

/// The identity of an object: its store, its entity and its row.
///
/// Send identifiers to other tasks in place of objects, and store them as long as you like. An identifier is temporary
/// until its object is saved for the first time; a temporary one is not valid in another context.
///
///     let identifier = post.persistentModelID
///     try await background.perform { context in
///         let post: Post = try context.model(for: identifier)
///         post.isRead = true
///         try context.save()
///     }
///
/// The counterparts are SwiftData's `PersistentIdentifier` and Core Data's `NSManagedObjectID`.
@frozen public struct PersistentIdentifier: Sendable {
    /// The rowid; negative for an object that was never saved.
    public let rowID: Int64
    @usableFromInline let store: UInt32
    @usableFromInline package let number: EntityNumber

    @inlinable @inline(__always)
    init(rowID: Int64, store: UInt32, entity: EntityNumber) {
        self.rowID = rowID
        self.store = store
        self.number = entity
    }

    /// Whether the object was never saved, so that the identifier will change.
    ///
    ///     if identifier.isTemporary { try context.save() }
    @inlinable public var isTemporary: Bool { rowID < 0 }

    /// The UUID of the store; nil while the identifier is temporary.
    public var storeIdentifier: String? {
        isTemporary ? nil : StoreRegistry.shared[store]?.storeIdentifier
    }

    /// The name of the object's entity.
    ///
    /// An identifier from a relationship has the declared destination. The object's entity may be a subentity of it.
    public var entityName: String {
        StoreRegistry.shared[store]?.entityName(number.entity) ?? ""
    }
}

extension PersistentIdentifier {
    /// Returns whether the identifier names a row of a root entity's table in a store, or an unsaved object of that
    /// hierarchy.
    ///
    /// Compare identifiers that a caller passed with rows only by this function: the row number alone does not identify
    /// a row.
    func isRow(of root: UInt16, in store: UInt32) -> Bool {
        number.root == root && (self.store == store || isTemporary)
    }

    /// The number of the row in a root entity's table of a store; 0, which no row has, if the identifier belongs
    /// elsewhere.
    func rowID(of root: UInt16, in store: UInt32) -> Int64 { isRow(of: root, in: store) ? rowID : 0 }
}

extension PersistentIdentifier: Hashable {
    @inlinable
    public static func == (left: PersistentIdentifier, right: PersistentIdentifier) -> Bool {
        // A temporary number is used once in a process, and an object has it before it belongs to a store.
        left.rowID == right.rowID && left.number.root == right.number.root
            && (left.store == right.store || left.rowID < 0)
    }

    @inlinable
    public func hash(into hasher: inout Hasher) {
        hasher.combine(rowID)
        hasher.combine(number.root)
    }
}

extension PersistentIdentifier: Identifiable {
    /// The identifier itself.
    public var id: PersistentIdentifier { self }
}

extension PersistentIdentifier: Comparable {
    /// Orders identifiers by store, then entity, then rowid.
    public static func < (left: PersistentIdentifier, right: PersistentIdentifier) -> Bool {
        (left.isTemporary ? 0 : left.store, left.number.root, left.rowID)
            < (right.isTemporary ? 0 : right.store, right.number.root, right.rowID)
    }
}

extension PersistentIdentifier: CustomStringConvertible {
    /// The URI, such as `x-ashlar://STORE-UUID/Post/p12`.
    public var description: String { uriRepresentation.absoluteString }

    /// The identifier as a URI, such as `x-ashlar://STORE-UUID/Post/p12`, for use outside the program.
    ///
    /// A temporary identifier has `t` in place of `p`. Core Data's counterpart is `uriRepresentation()`.
    ///
    ///     let link = post.persistentModelID.uriRepresentation
    public var uriRepresentation: URL {
        var components = URLComponents()
        components.scheme = "x-ashlar"
        components.host = storeIdentifier ?? ""
        components.path = "/\(entityName)/\(isTemporary ? "t" : "p")\(rowID.magnitude)"
        return components.url ?? URL(fileURLWithPath: components.path)
    }

    /// Creates the identifier that a URI represents.
    ///
    ///     if let identifier = PersistentIdentifier(uriRepresentation: uri) {
    ///         let post: Post = try context.model(for: identifier)
    ///     }
    ///
    /// Core Data's counterpart is `managedObjectID(forURIRepresentation:)`.
    ///
    /// - Parameter uri: A URI of ``uriRepresentation``.
    /// - Returns: Nil unless this process opened the store that the URI names.
    public init?(uriRepresentation uri: URL) {
        let parts = uri.path.split(separator: "/")
        guard uri.scheme == "x-ashlar", let host = uri.host, parts.count == 2, parts[1].first == "p",
            let rowID = Int64(parts[1].dropFirst()), rowID > 0,
            let found = StoreRegistry.shared.find(storeIdentifier: host, entityName: String(parts[0]))
        else { return nil }
        self.init(rowID: rowID, store: found.store, entity: found.number)
    }
}

extension PersistentIdentifier: Codable {
    /// Writes the URI.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(uriRepresentation)
    }

    /// Reads a URI. Throws `DecodingError` unless this process opened the store that the URI names.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let uri = try container.decode(URL.self)
        guard let identifier = PersistentIdentifier(uriRepresentation: uri) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "\(uri) names no object of a store that is open in this process")
        }
        self = identifier
    }
}
