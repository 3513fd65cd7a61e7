import Foundation
import HTTPTypes
import Hummingbird
@_spi(Studio) import StoreBrowsing

extension Studio {
    /// Adds the answers to forms, for a store that can be changed.
    func addChanges(to router: Router<BasicRequestContext>) {
        for (path, page) in Self.formPages {
            router.get(RouterPath(path)) { request, _ in
                let parameters = try Server.parameters(request)
                return Server.page(try await Server.offLoop { try page(self, parameters) })
            }
        }
        for (path, answer) in Self.answers {
            router.post(RouterPath(path)) { request, _ in
                let form = try await self.form(of: request)
                let referrer = request.headers[.referer]
                return try await Server.offLoop { try answer(self, form, referrer) }.response
            }
        }
    }

    /// The pages with forms.
    static let formPages: [(String, @Sendable (Studio, Parameters) throws -> Page)] = [
        ("new", { try $0.newObjectPage($1) }), ("delete", { try $0.deletionPage($1) }),
    ]

    typealias FormHandler = @Sendable (Studio, _ form: Parameters, _ referrer: String?) throws -> FormAnswer

    static let answers: [(String, FormHandler)] = [
        ("save", { studio, form, _ in try studio.save(form) }),
        ("insert", { studio, form, _ in try studio.insert(form) }),
        ("delete", { studio, form, _ in try studio.delete(form) }),
        ("bulk", { studio, form, _ in try studio.changeSeveral(form) }),
        ("bulk-save", { studio, form, _ in try studio.saveSeveral(form) }),
        ("undo", { studio, _, referrer in try studio.step("Undone", referrer) { try $0.undo() } }),
        ("redo", { studio, _, referrer in try studio.step("Redone", referrer) { try $0.redo() } }),
    ]

    // MARK: One object

    private func save(_ form: Parameters) throws -> FormAnswer {
        guard let editor, let entity = form["entity"], let number = form["id"].flatMap({ Int64($0) }),
            let version = form["version"].flatMap({ Int64($0) })
        else { throw PageError.parameters }
        let object = try browser.object(entity, number)
        if let property = form["find"] {
            return .page(try objectPage(object, found(property, in: form, object)))
        }
        let changes = ObjectForm.changes(form, of: object)
        if changes.isEmpty {
            notice.show("Nothing was changed.")
            return .redirect(.object(entity, number))
        }
        do {
            try editor.change(entity, number, version: version, changes)
        } catch {
            let form = ObjectForm(sent: form, message: error.description, messages: error.fields)
            return .page(try objectPage(browser.object(entity, number), form), .conflict)
        }
        notice.show("Saved.")
        return .redirect(.object(entity, number))
    }

    private func insert(_ form: Parameters) throws -> FormAnswer {
        guard let editor, let entity = form["entity"] else { throw PageError.parameters }
        let object = try editor.newObject(entity)
        if let property = form["find"] {
            return .page(try newObjectPage(object, found(property, in: form, object)))
        }
        do {
            let number = try editor.insert(entity, ObjectForm.changes(form, of: object))
            notice.show("Inserted.")
            return .redirect(.object(entity, number))
        } catch {
            let form = ObjectForm(sent: form, message: error.description, messages: error.fields)
            return .page(try newObjectPage(object, form), .conflict)
        }
    }

    /// A form as it was sent, with the objects that a search found.
    private func found(_ property: String, in form: Parameters, _ object: BrowsedObject) throws -> ObjectForm {
        guard let relationship = object.relationships.first(where: { $0.name == property }) else {
            throw PageError.parameters
        }
        let text = form["find." + property] ?? ""
        let objects = try browser.choices(of: relationship.destination, matching: text)
        var result = ObjectForm(sent: form, found: (property, objects))
        if objects.isEmpty { result.messages[property] = "No \(relationship.destination) contains '\(text)'." }
        return result
    }

    // MARK: Several objects

    /// The rows that a form names, such as `row.7` with the version of the row.
    static func rows(_ form: Parameters) -> [StoreEditor.Row] {
        form.values.compactMap { name, value in
            guard name.utf8.starts(with: "row.".utf8), let number = Int64(String(Substring(name.utf8.dropFirst(4)))),
                let version = Int64(value)
            else { return nil }
            return StoreEditor.Row(number, version: version)
        }
    }

    private func changeSeveral(_ form: Parameters) throws -> FormAnswer {
        guard let entity = form["entity"], let action = form["action"] else { throw PageError.parameters }
        let rows = Self.rows(form)
        if rows.isEmpty {
            throw PageError(status: .badRequest, text: "No rows are selected. Select rows of the list first.")
        }
        if action == "delete" { return .page(try deletionPage(entity, rows, list: form["list"])) }
        guard let property = form["property"] else { throw PageError.parameters }
        return .page(try bulkPage(entity, rows, property, ObjectForm(), list: form["list"]))
    }

    private func saveSeveral(_ form: Parameters) throws -> FormAnswer {
        guard let editor, let entity = form["entity"], let property = form["property"],
            let first = Self.rows(form).first
        else { throw PageError.parameters }
        let rows = Self.rows(form)
        let object = try browser.object(entity, first.number).with(property)
        if let searched = form["find"] {
            let found = try found(searched, in: form, object)
            return .page(try bulkPage(entity, rows, property, found, list: form["list"]))
        }
        do {
            try editor.change(entity, rows, ObjectForm.changes(form, of: object, isForced: true))
        } catch {
            let refused = ObjectForm(sent: form, message: error.description, messages: error.fields)
            return .page(try bulkPage(entity, rows, property, refused, list: form["list"]), .conflict)
        }
        notice.show("Saved \(rows.count == 1 ? "1 object" : "\(rows.count) objects").")
        return .redirect(Self.list(entity, form["list"]))
    }

    private func delete(_ form: Parameters) throws -> FormAnswer {
        guard let editor, let entity = form["entity"] else { throw PageError.parameters }
        let rows = Self.rows(form)
        if rows.isEmpty { throw PageError.parameters }
        do {
            try editor.delete(entity, rows)
        } catch {
            if error.kind != .refused { throw error }
            return .page(try deletionPage(entity, rows, list: form["list"], message: error.description), .conflict)
        }
        notice.show("Deleted \(rows.count == 1 ? "1 object" : "\(rows.count) objects") of \(entity).")
        return .redirect(Self.list(entity, form["list"]))
    }

    // MARK: Undo

    /// Undoes or redoes a change, and leads back to the page of the button.
    private func step(
        _ name: String, _ referrer: String?, _ body: (StoreEditor) throws -> String
    ) throws -> FormAnswer {
        guard let editor else { throw PageError.parameters }
        notice.show("\(name): \(try body(editor)).")
        return .redirect(origin(referrer))
    }

    /// The page that a request came from, if it still exists; the overview otherwise.
    private func origin(_ referrer: String?) -> Address {
        guard let parts = referrer.flatMap({ URLComponents(string: $0) }),
            let page = (Self.pages + Self.formPages).first(where: { "/" + $0.0 == parts.path || $0.0 == parts.path }),
            let parameters = Parameters(parts.percentEncodedQuery ?? "")
        else { return Address("/") }
        if page.0 == "object", let entity = parameters["entity"], let number = parameters["id"].flatMap({ Int64($0) }),
            (try? browser.object(entity, number)) == nil
        {
            return .rows(entity)
        }
        return Address(parts.path, parameters.values.map { ($0.name, $0.value) })
    }
}
