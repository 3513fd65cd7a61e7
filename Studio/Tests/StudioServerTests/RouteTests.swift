import Foundation
import Hummingbird
import Testing

@_spi(Studio) @testable import StudioServer

/// The guards of every address that the server answers. A new one is tested as soon as a router has it.
@Suite struct RouteTests {
    /// Parameters with which pages have something to show.
    private static let parameters =
        "entity=Picture&id=1&format=csv&numbers=1&sql=SELECT+title+FROM+Picture&text=t&version=Gallery"

    private static func addresses(_ router: Router<BasicRequestContext>) -> [(method: String, path: String)] {
        router.routes.map { ($0.method.rawValue, "\($0.path)".hasPrefix("/") ? "\($0.path)" : "/\($0.path)") }
    }

    @Test("Every address of a store and its model refuses strangers, other pages and forms without the secret")
    func strangers() async throws {
        try await Gallery.serving(pictures: 4, isWritable: true) { gallery async throws in
            let addresses = Self.addresses(gallery.studio.router())
            #expect(addresses.count > 30)
            let before = try Data(contentsOf: gallery.url)
            let (host, end) = ("Host: 127.0.0.1:\(gallery.port)", "Connection: close")
            let ours = "Origin: http://127.0.0.1:\(gallery.port)"
            for (method, path) in addresses {
                let form = method == "POST" ? "form-token=\(gallery.studio.formToken.text)&entity=Picture&id=1" : ""
                func answer(_ lines: [String], _ form: String = form) async throws -> Answer {
                    try await gallery.answer(
                        [
                            "\(method) \(path)\(method == "GET" ? "?" + Self.parameters : "") HTTP/1.1", end,
                            "Content-Type: application/x-www-form-urlencoded", "Content-Length: \(form.utf8.count)",
                        ] + lines, body: form)
                }
                for lines in [
                    [host, ours], [host, ours, "Cookie: ashlar-studio-\(gallery.port)=x"],
                    [host, gallery.cookie, "Origin: https://example.org"], [host, gallery.cookie, "Origin: null"],
                    [host, gallery.cookie, ours, "Sec-Fetch-Site: cross-site"],
                    ["Host: example.org", gallery.cookie, ours], [gallery.cookie, ours],
                ] {
                    let answer = try await answer(lines)
                    #expect([400, 403, 421].contains(answer.status), "\(method) \(path) \(lines)")
                    #expect(!answer.text.contains("Picture") && !answer.text.contains("Ada"), "\(method) \(path)")
                }
                if method != "POST" { continue }
                // A page of ours names itself, and has the secret of forms.
                #expect(try await answer([host, gallery.cookie]).status == 403, "\(path)")
                for wrong in ["", "form-token=", "form-token=\(gallery.studio.token.text)&entity=Picture&id=1"] {
                    #expect(try await answer([host, gallery.cookie, ours], wrong).status == 403, "\(path) \(wrong)")
                }
            }
            #expect(try Data(contentsOf: gallery.url) == before)
        }
    }

    @Test("No address of a page writes to the store or beside it, and a store that is only read has no forms")
    func reading() async throws {
        try await Gallery.serving(pictures: 4) { gallery async throws in
            let before = try Data(contentsOf: gallery.url)
            let files = try FileManager.default.contentsOfDirectory(atPath: gallery.folder.path).sorted()
            let addresses = Self.addresses(gallery.studio.router())
            #expect(addresses.allSatisfy { $0.method == "GET" })
            for (_, path) in addresses {
                let answer = try await gallery.page(path + "?" + Self.parameters)
                #expect((200..<500).contains(answer.status), "\(path)")
                for field in ["default-src 'none'", "nosniff", "no-store", "frame-ancestors 'none'"] {
                    #expect(answer.text.contains(field), "\(path)")
                }
                #expect(!answer.body.contains(gallery.studio.token.text), "\(path)")
                #expect(!answer.body.contains("method=\"post\""), "\(path)")
            }
            #expect(try Data(contentsOf: gallery.url) == before)
            #expect(try FileManager.default.contentsOfDirectory(atPath: gallery.folder.path).sorted() == files)
        }
    }

    @Test("Every address of a model without a store has the same guards")
    func models() async throws {
        try await ModelBench.serving { bench async throws in
            let (host, end) = ("Host: 127.0.0.1:\(bench.port)", "Connection: close")
            for (method, path) in Self.addresses(bench.studio.router()) {
                let form = "form-token=\(bench.studio.formToken.text)&kind=entity&name=Evil&action=new&all=1"
                for lines in [
                    [host], [host, bench.cookie, "Origin: https://example.org"],
                    [host, bench.cookie, "Sec-Fetch-Site: cross-site"], ["Host: example.org", bench.cookie],
                ] {
                    let answer = try await bench.answer(
                        [
                            "\(method) \(path) HTTP/1.1", end, "Content-Type: application/x-www-form-urlencoded",
                            "Content-Length: \(method == "POST" ? form.utf8.count : 0)",
                        ] + lines, body: method == "POST" ? form : "")
                    #expect([400, 403, 421].contains(answer.status), "\(method) \(path) \(lines)")
                    #expect(!answer.text.contains("Post"), "\(method) \(path)")
                }
            }
            #expect(try bench.contents() == ModelBench.feed && bench.places.isEmpty)
        }
        try await ModelBench.serving(isWritable: false) { bench async throws in
            #expect(Self.addresses(bench.studio.router()).allSatisfy { $0.method == "GET" })
        }
    }
}
