import Synchronization
public import SystemFoundation

extension ModelConfiguration {
    private static let chosenDirectory = Mutex<URL?>(nil)

    /// The folder of stores that are opened by name.
    ///
    /// It is the app's own folder in `Application Support` on Apple's systems, and in `$XDG_DATA_HOME` or
    /// `~/.local/share` elsewhere. A sandboxed app on iOS, tvOS, watchOS or visionOS uses `Application Support` itself.
    /// Set it once, before you create a configuration, to use the container of an app group, for example.
    ///
    ///     ModelConfiguration.defaultDirectory = directory
    ///
    /// Core Data's counterpart is `NSPersistentContainer.defaultDirectoryURL()`.
    public static var defaultDirectory: URL {
        get { chosenDirectory.withLock { $0 } ?? systemDirectory }
        set { chosenDirectory.withLock { $0 = newValue } }
    }

    static var systemDirectory: URL {
        let data =
            FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
            ?? FileManager.default.homeDirectoryForCurrentUser
        #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
            return data
        #else
            return data.appendingPathComponent(Program.bundleIdentifier ?? ProcessInfo.processInfo.processName)
        #endif
    }
}
