import HTTPTypes
import Hummingbird
import Synchronization

/// Accepts only requests of the program's own pages. Other pages in the same browser can also send requests to this
/// address.
struct RequestGuard<Context: RequestContext>: RouterMiddleware {
    let token: AccessToken
    let port: BoundPort

    /// The largest length of an address, in bytes.
    static var longestAddress: Int { 16_384 }

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var response = try await answer(request, context, next)
        for (name, value) in Self.fields { response.headers[name] = value }
        return response
    }

    private func answer(
        _ request: Request, _ context: Context, _ next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard let host = host(of: request) else {
            return Self.refusal(.misdirectedRequest, "Studio does not serve this host.")
        }
        if request.uri.string.utf8.count > Self.longestAddress {
            return Self.refusal(.uriTooLong, "The address is too long.")
        }
        // A header that says where a request comes from, is sent by browsers, and cannot be set by a page.
        if let site = request.headers[Self.site], site != "same-origin", site != "none" {
            return Self.refusal(.forbidden, "Studio refuses requests from other pages.")
        }
        if let origin = request.headers[.origin], origin != "http://\(host)" {
            return Self.refusal(.forbidden, "Studio refuses requests from other pages.")
        }
        if request.method == .post, request.headers[.origin] == nil, request.headers[Self.site] != "same-origin" {
            return Self.refusal(.forbidden, "The request does not name the page that it comes from.")
        }
        if request.method == .get, request.uri.path == "/", let given = Parameters(request.uri.query ?? "")?["token"] {
            guard token.matches(given) else { return Self.refusal(.forbidden, Self.strange) }
            return Response(
                status: .seeOther,
                headers: [
                    .location: "/",
                    .setCookie: "\(cookieName)=\(token.text); Path=/; HttpOnly; SameSite=Strict",
                ])
        }
        guard hasCookie(request) else { return Self.refusal(.forbidden, Self.strange) }
        return try await next(request, context)
    }

    private static var strange: String { "Open the address that ashlar-studio printed when it started." }

    private func host(of request: Request) -> String? {
        let hosts = ["127.0.0.1:\(port.number)", "localhost:\(port.number)"]
        guard let authority = request.head.authority, hosts.contains(authority) else { return nil }
        return authority
    }

    /// A cookie is for all ports of a host, so that its name has this one.
    private var cookieName: String { "ashlar-studio-\(port.number)" }

    private func hasCookie(_ request: Request) -> Bool {
        for field in request.headers[values: .cookie] {
            for part in field.utf8.split(separator: UInt8(ascii: ";")) {
                let part = String(Substring(part)).trimmingSpaces
                if part.hasPrefix(cookieName + "="), token.matches(String(part.dropFirst(cookieName.count + 1))) {
                    return true
                }
            }
        }
        return false
    }

    static func refusal(_ status: HTTPResponse.Status, _ text: String) -> Response {
        Response(
            status: status, headers: [.contentType: "text/plain; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text + "\n")))
    }

    private static var site: HTTPField.Name { HTTPField.Name("Sec-Fetch-Site") ?? .origin }

    /// The header fields of every response: pages load files of this program alone, and browsers neither store a
    /// response nor send its address to other sites.
    private static var fields: [(HTTPField.Name, String)] {
        let named = [
            // With `no-referrer`, browsers would also omit the origin of a form.
            ("Referrer-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Cross-Origin-Resource-Policy", "same-origin"), ("X-Frame-Options", "DENY"),
        ]
        return named.compactMap { name, value in HTTPField.Name(name).map { ($0, value) } } + [
            (.xContentTypeOptions, "nosniff"), (.cacheControl, "no-store"),
            (
                .contentSecurityPolicy,
                "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
                    + "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
            ),
        ]
    }
}

/// The port that the server listens on, which the system chose where none was asked for.
final class BoundPort: Sendable {
    private let storage: Mutex<Int>

    init(_ number: Int) { storage = Mutex(number) }

    var number: Int {
        get { storage.withLock { $0 } }
        set { storage.withLock { $0 = newValue } }
    }
}

extension String {
    var trimmingSpaces: String {
        var text = utf8[...]
        while text.first == UInt8(ascii: " ") { text = text.dropFirst() }
        while text.last == UInt8(ascii: " ") { text = text.dropLast() }
        return String(Substring(text))
    }
}
