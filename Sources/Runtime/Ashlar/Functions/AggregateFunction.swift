/// A function that computes one value from the values of many rows.
///
/// Dictionaries use it; see ``DictionaryProperty/aggregate(_:_:as:)``.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum AggregateFunction: String, Sendable, Hashable, CaseIterable {
    /// The number of rows.
    case count
    /// The sum of the values that are not NULL; 0 without any.
    case sum
    /// The mean of the values that are not NULL; NULL without any.
    case average
    /// The least or greatest value that is not NULL; NULL without any.
    case minimum, maximum
}
