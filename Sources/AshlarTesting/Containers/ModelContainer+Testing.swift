public import Ashlar
import Foundation

extension ModelContainer {
    /// Makes a container whose store is in memory, empty, and gone with the container.
    ///
    ///     let container = try ModelContainer.inMemory(for: PhotoFeedModel.self)
    ///
    /// It is real SQLite, with the tables, constraints and triggers that a file has.
    ///
    /// - Parameters:
    ///   - model: The model.
    ///   - configure: Changes the configuration before the store is made.
    /// - Throws: `StoreError`, or what `configure` throws.
    public static func inMemory(
        for model: any ManagedObjectModel.Type, configure: (inout ModelConfiguration) throws -> Void = { _ in }
    ) throws -> ModelContainer {
        var configuration = ModelConfiguration(model.modelDescription.name, isStoredInMemoryOnly: true)
        try configure(&configuration)
        return try ModelContainer(for: model, configurations: [configuration])
    }

    /// Makes a container whose store is in a file of its own, in a folder that is removed when the container is not used
    /// any more.
    ///
    ///     let container = try ModelContainer.temporary(for: PhotoFeedModel.self)
    ///
    /// The container is used by its contexts, and by whoever else holds it; once all are gone, also because the test threw,
    /// its connections are closed, and the folder goes with all that is in it: the store, its log, the files of large
    /// values. At the end of the process it is gone in any case. Another container of the same file, at
    /// `container.configuration.url`, does not keep it: hold this one for as long.
    ///
    /// - Parameters:
    ///   - model: The model.
    ///   - configure: Changes the configuration before the store is made: its options, say. Its URL stays in the folder,
    ///     unless you set another one, which is not removed then.
    /// - Throws: `StoreError`, what `configure` throws, or an error of Foundation's where no folder can be made.
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
