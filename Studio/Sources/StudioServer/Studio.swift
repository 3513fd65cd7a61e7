import Foundation
import HTTPTypes
import Hummingbird
@_spi(Studio) import ModelAuthoring
import NIOCore
@_spi(Studio) import StoreBrowsing

/// The pages of a store.
@_spi(Studio) public struct Studio: Site {
    /// The store.
    public let browser: StoreBrowser
    /// Changes the store; nil if it is only read.
    public let editor: StoreEditor?
    /// A store to compare it with.
    public let other: URL?
    /// The pages of the store's model; nil if it has none.
    let modelStudio: ModelStudio?
    let access: SiteAccess

    /// Creates the pages of a store.
    ///
    /// - Parameter port: The port of the loopback address; 0 for one that is free.
    public init(
        _ browser: StoreBrowser, isWritable: Bool = false, comparedWith other: URL? = nil, port: Int = 0,
        configuration: String? = nil, token: AccessToken = AccessToken()
    ) {
        self.browser = browser
        self.other = other
        access = SiteAccess(token: token, port: BoundPort(port))
        editor = isWritable && !browser.isOfCoreData ? StoreEditor(browser) : nil
        var links = [
            ("/", "Overview"), ("/model", "Model"), ("/sql", "SQL"), ("/history", "History"), ("/schema", "Schema"),
        ]
        if other != nil { links.append(("/differences", "Differences")) }
        self.links = links.map { (path: $0.0, title: $0.1) }
        modelStudio =
            if let path = browser.modelPath {
                ModelStudio(
                    ModelDesk(path, configuration: configuration, isWritable: isWritable), access,
                    storeLinks: self.links, objects: Set(browser.entityNames))
            } else {
                nil
            }
    }

    /// The secret that requests need.
    public var token: AccessToken { access.token }

    let links: [(path: String, title: String)]
    var headline: String { browser.url.lastPathComponent }
    var isWritable: Bool { editor != nil }
    var undoSteps: [(path: String, name: String, title: String?)] {
        guard let editor else { return [] }
        return [("/undo", "Undo", editor.undoTitle), ("/redo", "Redo", editor.redoTitle)]
    }

    /// The address to open, which has the secret.
    public var address: String { Server.address(access) }

    /// The server, on the loopback address alone.
    ///
    /// - Parameter isReady: Called with the address once it listens.
    public func application(isReady: @escaping @Sendable (String) -> Void = { _ in }) -> some ApplicationProtocol {
        Server.application(router(), access, isReady: isReady)
    }

    func router() -> Router<BasicRequestContext> {
        let router = Server.router(self)
        for (path, page) in Self.pages {
            router.get(RouterPath(path)) { request, _ in
                let parameters = try Server.parameters(request)
                return Server.page(try await Server.offLoop { try page(self, parameters) })
            }
        }
        router.get("key-paths") { request, _ in
            guard let parameters = Parameters(request.uri.query ?? ""), let entity = parameters["entity"] else {
                throw PageError.parameters
            }
            let paths = try await Server.offLoop {
                try browser.keyPaths(of: entity, beginningWith: parameters["text"] ?? "")
            }
            return try Server.json(paths)
        }
        router.get("choices") { request, _ in
            guard let parameters = Parameters(request.uri.query ?? ""), let entity = parameters["entity"] else {
                throw PageError.parameters
            }
            let found = try await Server.offLoop {
                try browser.choices(of: entity, matching: parameters["text"] ?? "")
            }
            return try Server.json(found.map { ["value": "\($0.number)", "text": $0.choiceText] })
        }
        router.get("versions") { request, _ in
            guard let parameters = Parameters(request.uri.query ?? ""), let entity = parameters["entity"] else {
                throw PageError.parameters
            }
            let numbers = (parameters["numbers"] ?? "").split(separator: ",").compactMap { Int64($0) }
            let versions = try await Server.offLoop { try browser.versions(of: entity, numbers) }
            return try Server.json(Dictionary(uniqueKeysWithValues: versions.map { ("\($0)", "\($1)") }))
        }
        router.get("export") { request, _ in
            guard let parameters = Parameters(request.uri.query ?? ""),
                let format = parameters["format"].flatMap({ ExportedRows.Format(rawValue: $0) })
            else { throw PageError.parameters }
            let list = try RowsAddress(parameters).request
            let export = try await Server.offLoop { try browser.export(list, as: format) }
            return Self.download(export.bytes, list.subject.name, format)
        }
        if modelStudio == nil {
            router.get("model") { _, _ in Server.page(try await Server.offLoop { try modelPage() }) }
        }
        if editor != nil { addChanges(to: router) }
        modelStudio?.addPages(to: router)
        return router
    }

    static let pages: [(String, @Sendable (Studio, Parameters) throws -> Page)] = [
        ("/", { studio, _ in try studio.overviewPage() }),
        ("rows", { try $0.rowsPage($1) }),
        ("object", { try $0.objectPage($1) }),
        ("query", { try $0.queryPage($1) }),
        ("sql", { try $0.sqlPage($1) }),
        ("map", { try $0.mapPage($1) }),
        ("history", { try $0.historyPage($1) }),
        ("schema", { studio, _ in try studio.schemaPage() }),
        ("differences", { studio, _ in try studio.differencesPage() }),
    ]

    /// A file that the browser saves rather than shows.
    private static func download(_ bytes: [UInt8], _ name: String, _ format: ExportedRows.Format) -> Response {
        let isPlain = name.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        }
        return Response(
            status: .ok,
            headers: [
                .contentType: format == .csv ? "text/csv; charset=utf-8" : "application/json; charset=utf-8",
                .contentDisposition: "attachment; filename=\"\(isPlain ? name : "export").\(format.rawValue)\"",
            ], body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
