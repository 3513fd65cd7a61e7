/// The values that an object had before its first change; generated code makes and opens it.
public final class ValuesBox<Values> {
    @usableFromInline let values: Values

    /// Boxes values.
    @inlinable
    public init(_ values: Values) {
        self.values = values
    }

    /// The values in a box that was made by the same class.
    @inlinable
    public static func values(of box: AnyObject) -> Values {
        unsafeDowncast(box, to: ValuesBox<Values>.self).values
    }

    /// Whether a value has to be written because it is not the one that was there.
    @inlinable
    public static func differ<Value: Equatable>(_ old: Value, _ new: Value) -> Bool { old != new }

    /// Whether a text has to be written: Swift takes texts for equal whose accents are composed in different ways, but
    /// the store keeps their bytes.
    @inlinable
    public static func differ(_ old: String, _ new: String) -> Bool { !old.utf8.elementsEqual(new.utf8) }

    /// Whether a text has to be written.
    @inlinable
    public static func differ(_ old: String?, _ new: String?) -> Bool {
        guard let old, let new else { return old != nil || new != nil }
        return !old.utf8.elementsEqual(new.utf8)
    }
}
