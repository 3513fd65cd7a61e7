import Foundation
import Hummingbird
@_spi(Studio) import ModelAuthoring

/// The pages of a model: its diagram, with a panel that edits the chosen entity.
@_spi(Studio) public struct ModelStudio: Site {
    /// The model.
    public let desk: ModelDesk
    let access: SiteAccess
    let links: [(path: String, title: String)]
    /// The entities whose objects a store has.
    let objects: Set<String>

    /// Creates the pages of a model without a store.
    ///
    /// - Parameter port: The port of the loopback address; 0 for one that is free.
    public init(_ desk: ModelDesk, port: Int = 0, token: AccessToken = AccessToken()) {
        self.init(
            desk, SiteAccess(token: token, port: BoundPort(port)), storeLinks: [("/model", "Model")], objects: [])
    }

    /// Creates the pages of a store's model.
    init(
        _ desk: ModelDesk, _ access: SiteAccess, storeLinks: [(path: String, title: String)], objects: Set<String>
    ) {
        self.desk = desk
        self.access = access
        self.objects = objects
        links = storeLinks
    }

    var headline: String { URL(fileURLWithPath: desk.path).lastPathComponent }
    var isWritable: Bool { desk.isWritable }
    var undoSteps: [(path: String, name: String, title: String?)] {
        isWritable
            ? [("/model-undo", "Undo", desk.undoTitle), ("/model-redo", "Redo", desk.redoTitle)] : []
    }

    /// The secret that requests need.
    public var token: AccessToken { access.token }

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
        router.get("/") { _, _ in Server.page(try await Server.offLoop { try page(ModelAddress()) }) }
        addPages(to: router)
        return router
    }

    /// Adds the pages and the answers to forms.
    func addPages(to router: Router<BasicRequestContext>) {
        router.get("model") { request, _ in
            let address = ModelAddress(try Server.parameters(request))
            return Server.page(try await Server.offLoop { try page(address) })
        }
        router.get("model-review") { request, _ in
            guard let version = try Server.parameters(request)["version"] else { throw PageError.parameters }
            return Server.page(try await Server.offLoop { try reviewPage(version) })
        }
        router.get("model-state") { _, _ in
            let state = try await Server.offLoop { desk.state }
            return try Server.json(["state": state])
        }
        if !isWritable { return }
        for (path, answer) in Self.answers {
            router.post(RouterPath(path)) { request, _ in
                let form = try await self.form(of: request)
                return try await Server.offLoop { try answer(self, form) }.response
            }
        }
    }
}

/// The part of the model that a page shows.
struct ModelAddress: Equatable {
    /// The entity or composite in the panel.
    var box: String?
    /// The property of it whose form is open.
    var property: String?
    /// The version; nil for the current one.
    var version: String?
    /// The box that is shown with its neighbors alone.
    var near: String?
    var search: String?
    /// The destination of a relationship to add, from the box.
    var destination: String?
    /// The kind of parts that are added, one after the other.
    var adding: String?

    init(box: String? = nil, property: String? = nil, version: String? = nil) {
        (self.box, self.property, self.version) = (box, property, version)
    }

    /// Reads the parameters of an address, or the fields that a form has for the page that it leads back to.
    init(_ parameters: Parameters) {
        func value(_ name: String) -> String? { parameters[name].flatMap { $0.isEmpty ? nil : $0 } }
        box = value("entity")
        property = value("property")
        version = value("version")
        near = value("near")
        search = value("search")
        destination = value("destination")
        adding = value("adding")
    }

    var address: Address {
        Address(
            "/model",
            [
                ("entity", box), ("property", property), ("version", version), ("near", near), ("search", search),
                ("destination", destination), ("adding", adding),
            ])
    }

    /// The page with other values.
    func with(_ change: (inout ModelAddress) -> Void) -> ModelAddress {
        var result = self
        change(&result)
        return result
    }

    func choosing(_ box: String?, property: String? = nil) -> ModelAddress {
        with { ($0.box, $0.property, $0.destination, $0.adding) = (box, property, nil, nil) }
    }
}
