import HTTPTypes
import Hummingbird

/// The secrets of this run of the program, which all of its pages share.
struct SiteAccess: Sendable {
    /// The secret that requests need.
    let token: AccessToken
    /// The secret of forms, so that other pages cannot send one.
    let formToken = AccessToken()
    let port: BoundPort
    let notice = Notice()
}

/// Pages with a common head: those of a store, or those of a model.
protocol Site: Sendable {
    var access: SiteAccess { get }
    /// The name of the file.
    var headline: String { get }
    var links: [(path: String, title: String)] { get }
    var isWritable: Bool { get }
    /// The paths of the forms that undo and redo, with the titles of the changes; empty where nothing is changed.
    var undoSteps: [(path: String, name: String, title: String?)] { get }
}

extension Site {
    var formToken: AccessToken { access.formToken }
    var notice: Notice { access.notice }

    /// The fields of a form of this program.
    ///
    /// - Parameter limit: The largest size, in bytes.
    func form(of request: Request, upTo limit: Int = 4 << 20) async throws -> Parameters {
        guard request.headers[.contentType]?.hasPrefix("application/x-www-form-urlencoded") == true else {
            throw PageError(status: .unsupportedMediaType, text: "This is not a form of Studio.")
        }
        let body = try await request.body.collect(upTo: limit)
        guard let text = String(validating: body.readableBytesView, as: UTF8.self), let form = Parameters(text) else {
            throw PageError(status: .badRequest, text: "This is not a form of Studio.")
        }
        guard let given = form["form-token"], formToken.matches(given) else {
            throw PageError(
                status: .forbidden, text: "This form belongs to an earlier run of Studio. Open the page again.")
        }
        return form
    }

    func errorPage(_ text: String, _ status: HTTPResponse.Status) -> Page {
        let title =
            switch status {
            case .notFound: "Not found"
            case .conflict, .forbidden: "Refused"
            case .serviceUnavailable: "The file cannot be read now"
            default: "This request is not valid"
            }
        return Page(
            title, of: self,
            [
                .element("p", [.init("class", "error"), .init("role", "alert")], [.foreign(text)]),
                .element("p", [], [.link(Address("/"), "Back to the first page")]),
            ])
    }

    /// The message about the last form.
    var noticeParagraph: HTML {
        guard let text = notice.take() else { return .none }
        return .element("p", [.init("class", "notice"), .init("role", "status")], [.foreign(text)])
    }

    /// The buttons that undo and redo the last change, with its title.
    ///
    /// - Parameter fields: The hidden fields for the page that the forms lead back to.
    func undoForms(_ fields: [HTML]) -> HTML {
        if undoSteps.isEmpty { return .none }
        let forms = undoSteps.map { path, name, title in
            HTML.form(
                path, formToken, nil,
                fields + [
                    .element(
                        "button", [.init("disabled", isThere: title == nil)],
                        [.text(name)] + (title.map { [.text(": "), .foreign($0)] } ?? []))
                ])
        }
        return .element("span", [.init("class", "undo")], forms)
    }
}
