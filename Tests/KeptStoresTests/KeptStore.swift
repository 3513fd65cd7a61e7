import Ashlar
import Foundation
import Testing

/// A store that an earlier release of Ashlar made, with one feature of a model.
///
/// The files are in `Stores`, in a folder with the number of the release. The functions that check a file expect the
/// values that the function that filled it wrote, and so document its contents.
protocol KeptStore: Sendable {
    static var model: any ManagedObjectModel.Type { get }
    /// The stores of a container whose files are in a folder.
    static func configurations(in folder: URL) -> [ModelConfiguration]
    /// Makes the files, with the release that runs.
    static func make(in folder: URL) async throws
    /// Inserts the objects of a new store.
    static func fill(_ context: ModelContext) throws
    /// Expects the objects of the file.
    static func check(_ context: ModelContext) throws
    /// Changes objects of the file; the caller saves.
    static func edit(_ context: ModelContext) throws
    /// Expects the result of the edit.
    static func checkEdited(_ context: ModelContext) throws
}

extension KeptStore {
    static var name: String { model.modelDescription.name }

    static func configurations(in folder: URL) -> [ModelConfiguration] { [configuration(in: folder)] }

    static func configuration(
        _ fileName: String = name, of configuration: ModelDescription.Configuration? = nil, in folder: URL,
        historyTracking: Bool? = nil
    ) -> ModelConfiguration {
        ModelConfiguration(
            configuration: configuration, url: folder.appending(path: "\(fileName).store"),
            options: StoreOptions(pageSize: 512, historyTracking: historyTracking))
    }

    static func open(in folder: URL) throws -> ModelContainer {
        try ModelContainer(for: model, configurations: configurations(in: folder))
    }

    static func make(in folder: URL) async throws {
        let context = ModelContext(try open(in: folder))
        try fill(context)
        try context.save()
    }
}

/// The stores, and where they are.
enum KeptStores {
    static let all: [any KeptStore.Type] = [
        MenagerieStore.self, RegistryStore.self, DoubledRegistryStore.self, JukeboxStore.self, CampusStore.self,
        AtlasStore.self, PressStore.self, JournalStore.self, GalleryStore.self, PursesStore.self, RolodexStore.self,
        PostboxStore.self, HouseholdStore.self, DepotStore.self, MembersStore.self, KindsStore.self,
    ]

    /// The folders of all releases that stores were kept of.
    static let releases: [String] =
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).filter { !$0.hasPrefix(".") }
        .sorted()

    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "Stores")

    /// Every store of every release.
    static let files: [File] = releases.flatMap { release in
        all.map { File(release: release, store: $0) }.filter {
            FileManager.default.fileExists(atPath: $0.url.path)
        }
    }

    /// A store of a release, in a folder of its own.
    struct File: CustomTestStringConvertible, Sendable {
        var release: String
        var store: any (KeptStore.Type)

        var url: URL { KeptStores.folder.appending(path: "\(release)/\(folderName)") }
        var folderName: String { String("\(store)".dropLast("Store".count)) }
        var testDescription: String { "\(release)/\(folderName)" }

        /// Copies the files, since opening a store may change them.
        func copy() throws -> TemporaryFolder {
            let copy = try TemporaryFolder()
            for name in try FileManager.default.contentsOfDirectory(atPath: url.path) {
                try FileManager.default.copyItem(
                    at: url.appending(path: name), to: copy.url.appending(path: name))
            }
            return copy
        }
    }

    /// Where the release that runs puts the stores that it makes; nil unless `ASHLAR_KEPT_RELEASE` has its number.
    static let madeRelease = ProcessInfo.processInfo.environment["ASHLAR_KEPT_RELEASE"]

    /// Makes the files of one store.
    static func make(_ store: any KeptStore.Type, release: String) async throws {
        let file = File(release: release, store: store)
        try? FileManager.default.removeItem(at: file.url)
        try FileManager.default.createDirectory(at: file.url, withIntermediateDirectories: true)
        try await store.make(in: file.url)
    }
}
