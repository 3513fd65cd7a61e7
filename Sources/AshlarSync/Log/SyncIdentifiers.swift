/// The numbers of objects, as logs give them to stores.
public enum SyncIdentifiers {
    /// The first number that a log gives. Those below are of the store that a log begins with.
    public static let firstLeased: Int64 = 1 << 32
    /// The numbers that logs give.
    static let leased = firstLeased..<firstProvisional
    /// The first number that no log gives: those from here on are for stores that have not met their log yet.
    public static let firstProvisional: Int64 = 1 << 61
}
