/// The formats of generated code. Each generated model names one.
///
/// Code and runtime may come from different releases if a package commits its generated code, or if a prebuilt tool
/// generates it. Code of an unknown format then does not compile, and the error at the line that names the format
/// explains the remedy.
///
/// A release that changes the format adds a case, and makes the older one unavailable with a message such as that of
/// ``format0``.
@_spi(Generated) public enum GeneratedCodeFormat: Sendable {
    /// The current format.
    case format1

    /// Code that was generated before formats had numbers.
    @available(
        *, unavailable,
        message: "An older release of Ashlar generated this file. Generate it anew: swift package ashlar generate"
    )
    public static var format0: GeneratedCodeFormat { .format1 }
}
