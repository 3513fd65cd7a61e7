import Dispatch
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
@_spi(Studio) import ModelAuthoring
import NIOCore
@_spi(Studio) import StoreBrowsing

/// The server of the pages of a site, on the loopback address alone.
enum Server {
    /// The address to open, which has the secret.
    static func address(_ access: SiteAccess) -> String {
        "http://127.0.0.1:\(access.port.number)/?token=\(access.token.text)"
    }

    /// Serves a router.
    ///
    /// - Parameter isReady: Called with the address once it listens.
    static func application(
        _ router: Router<BasicRequestContext>, _ access: SiteAccess, isReady: @escaping @Sendable (String) -> Void
    ) -> some ApplicationProtocol {
        Application(
            router: router, server: .http1(configuration: HTTP1Channel.Configuration(idleTimeout: idleTime)),
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: access.port.number)),
            onServerRunning: { channel in
                if let number = channel.localAddress?.port { access.port.number = number }
                isReady(address(access))
            }, logger: Logger(label: "ashlar-studio") { _ in SwiftLogNoOpLogHandler() })
    }

    /// The time after which a silent connection is closed, so that unfinished requests do not keep it.
    private static var idleTime: TimeAmount { .seconds(60) }

    /// A router that lets in only this program's pages, with the files that these load.
    static func router(_ site: some Site) -> Router<BasicRequestContext> {
        let router = Router(context: BasicRequestContext.self)
        router.add(middleware: RequestGuard(token: site.access.token, port: site.access.port))
        router.add(middleware: ErrorPages(site: site))
        router.get("style.css") { _, _ in file(Assets.stylesheet, "text/css") }
        router.get("script.js") { _, _ in file(Assets.script, "text/javascript") }
        router.get("icon.svg") { _, _ in file(Assets.icon, "image/svg+xml") }
        return router
    }

    // MARK: Answers

    private static let queue = DispatchQueue(label: "ashlar-studio.reading", attributes: .concurrent)

    /// Runs a closure that reads files away from the threads that serve connections.
    static func offLoop<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Swift.Result { try body() }) }
        }
    }

    /// The parameters of a request's address.
    static func parameters(_ request: Request) throws -> Parameters {
        guard let parameters = Parameters(request.uri.query ?? "") else { throw PageError.parameters }
        return parameters
    }

    static func page(_ page: Page, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "text/html; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: page.markup)))
    }

    static func json(_ value: some Encodable) throws -> Response {
        file(String(decoding: try JSONEncoder().encode(value), as: UTF8.self), "application/json")
    }

    static func file(_ text: String, _ type: String) -> Response {
        Response(
            status: .ok, headers: [.contentType: "\(type); charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}

/// The answer to a form.
enum FormAnswer: Sendable {
    case page(Page, HTTPResponse.Status = .ok)
    case redirect(Address)

    var response: Response {
        switch self {
        case .page(let page, let status): Server.page(page, status: status)
        case .redirect(let address): Response(status: .seeOther, headers: [.location: address.text])
        }
    }
}

/// An invalid request.
struct PageError: Error {
    var status: HTTPResponse.Status
    var text: String

    static let parameters = PageError(
        status: .badRequest, text: "The address of this page is incomplete or not valid. Begin with the first page.")
}

/// Shows errors as pages.
struct ErrorPages<Pages: Site>: RouterMiddleware {
    typealias Context = BasicRequestContext
    let site: Pages

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
            return Server.page(site.errorPage(error.description, status), status: status)
        } catch let error as ModelDeskError {
            let status: HTTPResponse.Status =
                switch error.kind {
                case .missing: .notFound
                case .unavailable: .serviceUnavailable
                case .refused: .conflict
                }
            return Server.page(site.errorPage(error.description, status), status: status)
        } catch let error as PageError {
            return Server.page(site.errorPage(error.text, error.status), status: error.status)
        } catch let error as any HTTPResponseError {
            let text = error.status == .notFound ? "This page does not exist." : "The request is not valid."
            return Server.page(site.errorPage(text, error.status), status: error.status)
        }
    }
}
