import Foundation
import GRDB

extension DatabaseQueue {
    /// A queue with the settings that Ashlar's connections have.
    static func open(_ url: URL) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.prepareDatabase { database in
            for setting in StoreSettings.statements { try database.execute(sql: setting) }
        }
        return try DatabaseQueue(path: url.path, configuration: configuration)
    }
}
