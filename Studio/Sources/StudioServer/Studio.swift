import Dispatch
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
@_spi(Studio) import StoreBrowsing

/// The pages of a store, and the server that delivers them.
@_spi(Studio) public struct Studio: Sendable {
    /// The store.
    public let browser: StoreBrowser
    /// Changes the store; nil if it is only read.
    public let editor: StoreEditor?
    /// A store to compare it with.
    public let other: URL?
    /// The secret that requests need.
    public let token: AccessToken
    /// The secret of forms, so that other pages cannot send one.
    let formToken = AccessToken()
    let port: BoundPort
    let notice = Notice()

    /// Creates the pages of a store.
    ///
    /// - Parameter port: The port of the loopback address; 0 for one that is free.
    public init(
        _ browser: StoreBrowser, isWritable: Bool = false, comparedWith other: URL? = nil, port: Int = 0,
        token: AccessToken = AccessToken()
    ) {
        self.browser = browser
        self.other = other
        self.token = token
        editor = isWritable && !browser.isOfCoreData ? StoreEditor(browser) : nil
        self.port = BoundPort(port)
    }

    /// The address to open, which has the secret.
    public var address: String { "http://127.0.0.1:\(port.number)/?token=\(token.text)" }

    /// The server, on the loopback address alone.
    ///
    /// - Parameter isReady: Called with the address once it listens.
    public func application(isReady: @escaping @Sendable (String) -> Void = { _ in }) -> some ApplicationProtocol {
        Application(
            router: router(), server: .http1(configuration: HTTP1Channel.Configuration(idleTimeout: Self.idleTime)),
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port.number)),
            onServerRunning: { channel in
                if let number = channel.localAddress?.port { port.number = number }
                isReady(address)
            }, logger: Logger(label: "ashlar-studio") { _ in SwiftLogNoOpLogHandler() })
    }

    /// The time after which a silent connection is closed, so that unfinished requests do not keep it.
    private static var idleTime: TimeAmount { .seconds(60) }

    private func router() -> Router<BasicRequestContext> {
        let router = Router(context: BasicRequestContext.self)
        router.add(middleware: RequestGuard(token: token, port: port))
        router.add(middleware: ErrorPages(studio: self))
        router.get("style.css") { _, _ in Self.file(Assets.stylesheet, "text/css") }
        router.get("script.js") { _, _ in Self.file(Assets.script, "text/javascript") }
        router.get("icon.svg") { _, _ in Self.file(Assets.icon, "image/svg+xml") }
        for (path, page) in Self.pages {
            router.get(RouterPath(path)) { request, _ in
                guard let parameters = Parameters(request.uri.query ?? "") else { throw PageError.parameters }
                return Self.page(try await Self.offLoop { try page(self, parameters) })
            }
        }
        router.get("key-paths") { request, _ in
            guard let parameters = Parameters(request.uri.query ?? ""), let entity = parameters["entity"] else {
                throw PageError.parameters
            }
            let paths = try await Self.offLoop {
                try browser.keyPaths(of: entity, beginningWith: parameters["text"] ?? "")
            }
            return try Self.json(paths)
        }
        router.get("choices") { request, _ in
            guard let parameters = Parameters(request.uri.query ?? ""), let entity = parameters["entity"] else {
                throw PageError.parameters
            }
            let found = try await Self.offLoop {
                try browser.choices(of: entity, matching: parameters["text"] ?? "")
            }
            return try Self.json(found.map { ["value": "\($0.number)", "text": $0.choiceText] })
        }
        router.get("versions") { request, _ in
            guard let parameters = Parameters(request.uri.query ?? ""), let entity = parameters["entity"] else {
                throw PageError.parameters
            }
            let numbers = (parameters["numbers"] ?? "").split(separator: ",").compactMap { Int64($0) }
            let versions = try await Self.offLoop { try browser.versions(of: entity, numbers) }
            return try Self.json(Dictionary(uniqueKeysWithValues: versions.map { ("\($0)", "\($1)") }))
        }
        router.get("export") { request, _ in
            guard let parameters = Parameters(request.uri.query ?? ""),
                let format = parameters["format"].flatMap({ ExportedRows.Format(rawValue: $0) })
            else { throw PageError.parameters }
            let list = try RowsAddress(parameters).request
            let export = try await Self.offLoop { try browser.export(list, as: format) }
            return Self.download(export.bytes, list.subject.name, format)
        }
        if editor != nil { addChanges(to: router) }
        return router
    }

    static let pages: [(String, @Sendable (Studio, Parameters) throws -> Page)] = [
        ("/", { studio, _ in try studio.overviewPage() }),
        ("rows", { try $0.rowsPage($1) }),
        ("object", { try $0.objectPage($1) }),
        ("query", { try $0.queryPage($1) }),
        ("sql", { try $0.sqlPage($1) }),
        ("model", { studio, _ in try studio.modelPage() }),
        ("map", { try $0.mapPage($1) }),
        ("history", { try $0.historyPage($1) }),
        ("schema", { studio, _ in try studio.schemaPage() }),
        ("differences", { studio, _ in try studio.differencesPage() }),
    ]

    // MARK: Answers

    private static let queue = DispatchQueue(label: "ashlar-studio.reading", attributes: .concurrent)

    /// Runs what reads a file away from the threads that serve connections.
    static func offLoop<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Swift.Result { try body() }) }
        }
    }

    static func page(_ page: Page, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "text/html; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: page.markup)))
    }

    private static func json(_ value: some Encodable) throws -> Response {
        file(String(decoding: try JSONEncoder().encode(value), as: UTF8.self), "application/json")
    }

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

    private static func file(_ text: String, _ type: String) -> Response {
        Response(
            status: .ok, headers: [.contentType: "\(type); charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}

/// An invalid request.
struct PageError: Error {
    var status: HTTPResponse.Status
    var text: String

    static let parameters = PageError(
        status: .badRequest, text: "The address of this page is incomplete or not valid. Begin with the overview.")
}

/// Shows errors as pages.
struct ErrorPages: RouterMiddleware {
    typealias Context = BasicRequestContext
    let studio: Studio

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as BrowsingError {
            let status: HTTPResponse.Status =
                switch error.kind {
                case .missing: .notFound
                case .invalid: .badRequest
                case .unavailable, .tooSlow: .serviceUnavailable
                case .refused: .conflict
                }
            return Studio.page(studio.errorPage(error.description, status), status: status)
        } catch let error as PageError {
            return Studio.page(studio.errorPage(error.text, error.status), status: error.status)
        } catch let error as any HTTPResponseError {
            let text = error.status == .notFound ? "This page does not exist." : "The request is not valid."
            return Studio.page(studio.errorPage(text, error.status), status: error.status)
        }
    }
}
