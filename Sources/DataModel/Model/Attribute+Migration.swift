extension Attribute {
    /// The value that objects of older versions get where they have none: that of the entry
    /// `ashlar.migrationDefault`, else the default.
    package func migrationDefault() throws(InvalidDefault) -> DefaultValue? {
        guard let text = userInfo[UserInfo.migrationDefaultKey] else { return try defaultValue() }
        var other = self
        other.defaultValueString = text
        other.defaultDateTimeInterval = nil
        if let value = try other.defaultValue() { return value }
        throw InvalidDefault(
            text: text, expected: type == .uuid ? "a UUID" : "nothing, as no text stands for its values")
    }
}
