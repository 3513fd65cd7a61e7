/// The formats of generated code, one of which each generated model names.
///
/// Code and runtime can be of different releases if a package commits its generated code, or if a prebuilt tool generates
/// it. Code of an unknown format then does not compile, and the line that names the format says what to do.
///
/// A release that changes the format adds a case and makes the older one unavailable, with a message as ``format0`` has.
@_spi(Generated) public enum GeneratedCodeFormat: Sendable {
    /// The present format.
    case format1

    /// Code that was generated before formats had numbers.
    @available(
        *, unavailable,
        message: "An older release of Ashlar generated this file. Generate it anew: swift package ashlar generate"
    )
    public static var format0: GeneratedCodeFormat { .format1 }
}
