/// The settings of Ashlar's connections, which all others get too, so that the code makes the difference.
package enum StoreSettings {
    package static let statements = [
        "PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL", "PRAGMA cache_size = -16384",
        "PRAGMA foreign_keys = ON", "PRAGMA secure_delete = FAST",
    ]
}
