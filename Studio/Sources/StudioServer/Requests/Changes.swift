import Foundation
import HTTPTypes
import Hummingbird
@_spi(Studio) import StoreBrowsing

extension Studio {
    /// As many bytes may a form have.
    private static let longestForm = 1 << 20

    /// Adds what forms ask for, where the store is written.
    func addChanges(to router: Router<BasicRequestContext>) {
        router.post("change") { request, _ in
            let form = try await self.form(of: request)
            guard let entity = form["entity"], let number = form["id"].flatMap({ Int64($0) }),
                let version = form["version"].flatMap({ Int64($0) }), let property = form["property"],
                let kind = Self.kinds[form["kind"] ?? "set"]
            else { throw PageError.parameters }
            let change = StoreEditor.Change(
                property: property, kind: kind, value: form["nil"] == nil ? Self.text(form["value"]) : nil)
            try await Self.offLoop { try editor?.change(entity, number, version: version, [change]) }
            return Self.redirect(to: .object(entity, number))
        }
        router.get("new") { request, _ in
            guard let parameters = Parameters(request.uri.query ?? "") else { throw PageError.parameters }
            return Self.page(try await Self.offLoop { try newObjectPage(parameters) })
        }
        router.post("insert") { request, _ in
            let form = try await self.form(of: request)
            guard let entity = form["entity"] else { throw PageError.parameters }
            // What a page names is `value.title`, and `nil.title` beside it.
            let changes = form.values.compactMap { name, value -> StoreEditor.Change? in
                guard let property = Self.rest(of: name, behind: "value.") else { return nil }
                let isNil = form["nil." + property] != nil
                return StoreEditor.Change(property: property, value: isNil ? nil : Self.text(value))
            }
            let number = try await Self.offLoop { try editor?.insert(entity, changes) }
            return Self.redirect(to: .object(entity, number ?? 0))
        }
        router.post("delete") { request, _ in
            let form = try await self.form(of: request)
            guard let entity = form["entity"], let number = form["id"].flatMap({ Int64($0) }),
                let version = form["version"].flatMap({ Int64($0) })
            else { throw PageError.parameters }
            try await Self.offLoop { try editor?.delete(entity, number, version: version) }
            return Self.redirect(to: .rows(entity))
        }
        router.post("undo") { request, _ in
            _ = try await self.form(of: request)
            try await Self.offLoop { try editor?.undo() }
            return Self.redirect(to: Address("/history"))
        }
        router.post("redo") { request, _ in
            _ = try await self.form(of: request)
            try await Self.offLoop { try editor?.redo() }
            return Self.redirect(to: Address("/history"))
        }
    }

    private static let kinds: [String: StoreEditor.Change.Kind] = ["set": .set, "add": .add, "remove": .remove]

    /// A text of a form, which writes line breaks as two characters.
    private static func text(_ text: String?) -> String? { text?.replacingOccurrences(of: "\r\n", with: "\n") }

    private static func rest(of name: String, behind prefix: String) -> String? {
        guard name.utf8.starts(with: prefix.utf8) else { return nil }
        return String(Substring(name.utf8.dropFirst(prefix.utf8.count)))
    }

    private static func redirect(to address: Address) -> Response {
        Response(status: .seeOther, headers: [.location: address.text])
    }

    /// The fields of a form of ours.
    private func form(of request: Request) async throws -> Parameters {
        guard request.headers[.contentType]?.hasPrefix("application/x-www-form-urlencoded") == true else {
            throw PageError(status: .unsupportedMediaType, text: "That is no form of this program.")
        }
        let body = try await request.body.collect(upTo: Self.longestForm)
        guard let text = String(validating: body.readableBytesView, as: UTF8.self), let form = Parameters(text) else {
            throw PageError(status: .badRequest, text: "That is no form of this program.")
        }
        guard let given = form["form-token"], formToken.matches(given) else {
            throw PageError(
                status: .forbidden, text: "That is no form of this program as it runs now: open the page again.")
        }
        return form
    }
}
