import SystemFoundation

extension ModelContainer {
    private var followedCopy: FollowedCopy { FollowedCopy(of: StoreFile(url: configuration.url)) }

    /// Copies the state of the store before its last migration, with its large values, to another place. Returns false
    /// if that state was not kept.
    package func copyFollowedState(to url: URL) throws -> Bool {
        let (kept, copy) = (followedCopy.file, StoreFile(url: url))
        guard FileSystem.exists(kept.path) else { return false }
        try FileManager.default.copyItem(at: kept.url, to: copy.url)
        if FileSystem.exists(kept.supportFolder.path) {
            try FileManager.default.copyItem(at: kept.supportFolder, to: copy.supportFolder)
        }
        return true
    }

    /// Deletes the state of the store before its last migration.
    package func removeFollowedState() throws { try followedCopy.remove() }
}
