import BenchmarkHarness
import Foundation
import GRDB

extension DatabaseQueue {
    /// A queue with the settings that Ashlar's connections have.
    static func open(_ url: URL) throws -> DatabaseQueue {
        try DatabaseQueue(path: url.path, configuration: .ofAshlar)
    }
}

extension DatabasePool {
    /// A pool with the settings that Ashlar's connections have.
    static func open(_ url: URL) throws -> DatabasePool { try DatabasePool(path: url.path, configuration: .ofAshlar) }
}

extension Configuration {
    fileprivate static var ofAshlar: Configuration {
        var configuration = Configuration()
        configuration.prepareDatabase { database in
            // A reader of a pool may not set the journal's mode, which the store has already.
            let settings = StoreSettings.statements
            for setting in settings where !setting.contains("journal_mode") || !database.configuration.readonly {
                try database.execute(sql: setting)
            }
        }
        return configuration
    }
}
