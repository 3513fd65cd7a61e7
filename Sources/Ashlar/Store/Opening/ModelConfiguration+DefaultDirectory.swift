import Synchronization
public import SystemFoundation

extension ModelConfiguration {
    private static let chosenDirectory = Mutex<URL?>(nil)

    /// The folder of stores that are opened by name: this app's own in the user's folder for application data, that is
    /// `Application Support` on Apple's systems and `$XDG_DATA_HOME`, or `~/.local/share`, elsewhere.
    ///
    /// Set it once, before a configuration is made, to have all of them in an app group's container, say. An app in a
    /// sandbox of its own on iOS, tvOS, watchOS or visionOS has `Application Support` itself. Core Data's
    /// `NSPersistentContainer.defaultDirectoryURL()`.
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
