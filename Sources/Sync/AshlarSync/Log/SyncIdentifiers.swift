/// The ranges of object numbers that logs give to stores.
public enum SyncIdentifiers {
    /// The first number that a log gives. Smaller ones belong to the store that a log begins with.
    public static let firstLeased: Int64 = 1 << 32
    /// The numbers that logs give.
    static let leased = firstLeased..<firstProvisional
    /// The first number that no log gives. Numbers from here on are for stores that have not yet connected to their
    /// log.
    public static let firstProvisional: Int64 = 1 << 61
    /// The largest lease that a log gives at once, so that one writer cannot take all numbers.
    public static let greatestLeaseCount: Int64 = 1 << 32
}
