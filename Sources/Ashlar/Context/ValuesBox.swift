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
}
