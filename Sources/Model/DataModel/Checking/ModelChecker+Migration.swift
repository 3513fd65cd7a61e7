extension ModelChecker {
    /// Checks an attribute's settings for the migration to its version.
    mutating func checkMigration(of attribute: Attribute, _ title: String) {
        checkMigrationCheck(attribute.userInfo)
        guard let entry = attribute.userInfo.entry(UserInfo.migrationDefaultKey) else { return }
        do throws(Attribute.InvalidDefault) {
            _ = try attribute.migrationDefault()
        } catch {
            report(
                .invalidDefault, at: entry.location,
                "\(title) of type \(attribute.type.rawValue) has the default '\(error.text)' for migrations, "
                    + "which is not valid",
                notes: ["Write \(error.expected)"], fixes: [.removing(entry.location, "Remove the entry")],
                attribute: "value")
        }
    }

    /// Checks that the entry that requests a check has its only valid value.
    mutating func checkMigrationCheck(_ userInfo: UserInfo) {
        guard let entry = userInfo.entry(UserInfo.migrationCheckKey), entry.value != UserInfo.losslessCheck else {
            return
        }
        report(
            .invalidValue, at: entry.location,
            "'\(UserInfo.migrationCheckKey)' is '\(entry.value)', which Ashlar does not know",
            notes: ["Write \(UserInfo.losslessCheck)"],
            fixes: [.setting("value", to: UserInfo.losslessCheck, of: entry.location)], attribute: "value")
    }
}
