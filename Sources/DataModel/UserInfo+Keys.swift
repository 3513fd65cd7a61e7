extension UserInfo {
    /// The key of the entry that lists the codes of findings not to report.
    package static let silenceKey = "ashlar.silence"

    /// The keys that Ashlar gives a meaning.
    package static let keys: Set<String> = [silenceKey, "ashlar.swiftType", "ashlar.transformer", "ashlar.encoding"]
}
