public import Ashlar
import Foundation

extension ModelContainer {
    /// Creates a container with an empty store in memory, which disappears with the container.
    ///
    ///     let container = try ModelContainer.inMemory(for: PhotoFeedModel.self)
    ///
    /// It is a real SQLite store with the tables, constraints and triggers of a file.
    ///
    /// - Parameters:
    ///   - model: The model.
    ///   - configure: Changes the configuration before the store is created.
    /// - Throws: `StoreError`, or the error of `configure`.
    public static func inMemory(
        for model: any ManagedObjectModel.Type, configure: (inout ModelConfiguration) throws -> Void = { _ in }
    ) throws -> ModelContainer {
        var configuration = ModelConfiguration(model.modelDescription.name, isStoredInMemoryOnly: true)
        try configure(&configuration)
        return try ModelContainer(for: model, configurations: [configuration])
    }

    /// Creates a container with an empty store in a temporary file, which is removed after the last use of the
    /// container.
    ///
    ///     let container = try ModelContainer.temporary(for: PhotoFeedModel.self)
    ///
    /// Contexts use their container. After the last use, the connections are closed and the folder with the store, its
    /// log and its large values is removed. The folder is also removed if the test throws, and at the latest at the end
    /// of the process. Another container of the same file, at `container.configuration.url`, does not keep it: keep
    /// this container as long.
    ///
    /// - Parameters:
    ///   - model: The model.
    ///   - configure: Changes the configuration before the store is created. If you set another URL, that store is not
    ///     removed.
    /// - Throws: `StoreError`, the error of `configure`, or an error of Foundation if no folder can be created.
    public static func temporary(
        for model: any ManagedObjectModel.Type, configure: (inout ModelConfiguration) throws -> Void = { _ in }
    ) throws -> ModelContainer {
        let folder = TemporaryFolder.Removal(try TemporaryFolder.make())
        var configuration = ModelConfiguration(
            model.modelDescription.name, url: folder.url.appendingPathComponent("test.store"))
        try configure(&configuration)
        let container = try ModelContainer(for: model, configurations: [configuration])
        container.keepUntilClosed(folder)
        return container
    }
}
