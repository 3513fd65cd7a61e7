public import Ashlar
public import Logging

extension ModelContainer {
    /// Writes Ashlar's warnings to a log of swift-log, instead of to standard error.
    ///
    /// Call it once, when the program starts. It applies to all containers. Warnings are errors that no call can throw:
    /// a conflict of an autosave without an ``ModelContext/autosaveFailureHandler``, and a relationship that a release
    /// build reads after its context is gone.
    ///
    ///     ModelContainer.logWarnings(to: Logger(label: "ashlar"))
    ///
    /// - Parameter logger: The log.
    public static func logWarnings(to logger: Logger) {
        RuntimeWarning.send { logger.warning("\($0)") }
    }
}
