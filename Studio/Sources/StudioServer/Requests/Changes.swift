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
                let version = form["version"].flatMap({ Int64($0) }), let property = form["property"]
            else { throw PageError.parameters }
            // A form writes line breaks as two characters.
            let text = form["value"]?.replacingOccurrences(of: "\r\n", with: "\n")
            let change = StoreEditor.Change(property: property, value: form["nil"] == nil ? text : nil)
            try await Self.offLoop { try editor?.change(entity, number, version: version, [change]) }
            return Self.redirect(to: .object(entity, number))
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
