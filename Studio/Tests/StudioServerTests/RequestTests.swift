import Foundation
@_spi(Studio) import StoreBrowsing
import Testing

@_spi(Studio) @testable import StudioServer

/// Who is let in, and what comes of what no page of ours sends.
@Suite struct RequestTests {
    @Test("the address with the secret sets a cookie and leads to the pages")
    func entrance() async throws {
        try await Gallery.serving { gallery async throws in
            let host = "Host: 127.0.0.1:\(gallery.port)"
            let first = try await gallery.answer(
                ["GET /?token=\(gallery.studio.token.text) HTTP/1.1", host, "Connection: close"])
            #expect(first.status == 303 && first.text.contains("HttpOnly; SameSite=Strict"))
            let page = try await gallery.page("/")
            #expect(page.status == 200 && page.text.contains("Picture"))
            for field in [
                "default-src 'none'", "nosniff", "Referrer-Policy: same-origin", "frame-ancestors 'none'", "no-store",
            ] {
                #expect(page.text.contains(field))
            }
            #expect(!page.text.contains(gallery.studio.token.text))
            let local = try await gallery.answer(
                ["GET / HTTP/1.1", "Host: localhost:\(gallery.port)", gallery.cookie, "Connection: close"])
            #expect(local.status == 200)
        }
    }

    @Test("nobody else is let in")
    func strangers() async throws {
        try await Gallery.serving { gallery async throws in
            let (host, end) = ("Host: 127.0.0.1:\(gallery.port)", "Connection: close")
            let secret = gallery.studio.token.text
            let requests: [[String]] = [
                ["GET / HTTP/1.1", host], ["GET /?token= HTTP/1.1", host], ["GET /?token=\(secret)0 HTTP/1.1", host],
                ["GET /?token=\(String(secret.dropLast())) HTTP/1.1", host],
                ["GET /rows?token=\(secret) HTTP/1.1", host],
                ["GET / HTTP/1.1", host, "Cookie: ashlar-studio-\(gallery.port)="],
                ["GET / HTTP/1.1", host, "Cookie: ashlar-studio-1=\(secret)"],
                ["GET / HTTP/1.1", host, "Cookie: x; ashlar-studio-\(gallery.port)=\(String(secret.reversed()))"],
                ["GET / HTTP/1.1", "Host: example.org", gallery.cookie],
                ["GET / HTTP/1.1", "Host: 127.0.0.1", gallery.cookie],
                ["GET / HTTP/1.1", "Host: 127.0.0.1:\(gallery.port).example.org", gallery.cookie],
                ["GET / HTTP/1.1", "Host: evil@127.0.0.1:\(gallery.port)", gallery.cookie],
                ["GET / HTTP/1.1", gallery.cookie],
                ["GET /?token=\(secret) HTTP/1.1", "Host: example.org:\(gallery.port)"],
                ["GET / HTTP/1.1", host, gallery.cookie, "Origin: https://example.org"],
                ["GET / HTTP/1.1", host, gallery.cookie, "Origin: null"],
                ["GET / HTTP/1.1", host, gallery.cookie, "Origin: http://127.0.0.1:1"],
                ["GET / HTTP/1.1", host, gallery.cookie, "Sec-Fetch-Site: cross-site"],
                ["GET / HTTP/1.1", host, gallery.cookie, "Sec-Fetch-Site: same-site"],
                ["GET /style.css HTTP/1.1", host],
            ]
            // Each page and each answer for a script, without the cookie and for another page.
            let addresses = [
                "/sql?sql=SELECT+*+FROM+Picture", "/export?entity=Picture&format=csv", "/choices?entity=Picture",
                "/versions?entity=Picture&numbers=1", "/delete?entity=Picture&id=1", "/key-paths?entity=Picture",
            ]
            let moreRequests = addresses.flatMap { address in
                [
                    ["GET \(address) HTTP/1.1", host],
                    ["GET \(address) HTTP/1.1", host, gallery.cookie, "Origin: https://example.org"],
                    ["GET \(address) HTTP/1.1", host, gallery.cookie, "Sec-Fetch-Site: cross-site"],
                    ["GET \(address) HTTP/1.1", "Host: example.org", gallery.cookie],
                ]
            }
            for lines in requests + moreRequests {
                let answer = try await gallery.answer(lines + [end])
                #expect([400, 403, 421].contains(answer.status), "\(lines)")
                #expect(!answer.text.contains("Picture"))
            }
        }
    }

    @Test("what no page asks for is an error, and the server goes on")
    func nonsense() async throws {
        try await Gallery.serving { gallery async throws in
            let addresses = [
                "/nothing", "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/rows", "/rows?entity=A&table=B",
                "/rows?entity",
                "/rows?entity=%FF", "/rows?entity=%", "/rows?entity=%G0", "/rows?entity=Picture&entity=Painter",
                "/rows?entity=Picture&behind=i1&before=i2", "/rows?entity=Picture&behind=zz", "/rows?entity=Nothing",
                "/rows?entity=Picture&sort=nothing", "/rows?entity=Picture&of=Painter", "/rows?table=sqlite_nothing",
                "/object?entity=Picture", "/object?entity=Picture&id=x",
                "/object?entity=Picture&id=99999999999999999999",
                "/object?entity=Picture&id=-1", "/map?entity=Painter", "/map?entity=Picture&left=1",
                "/map?entity=Picture&left=nan&right=1&bottom=0&top=1",
                "/map?entity=Picture&left=2&right=1&bottom=0&top=1",
                "/history?before=x", "/query?entity=Nothing", "/query?table=Picture", "/save", "/undo", "/key-paths",
                "/choices", "/choices?entity=Nothing", "/versions", "/versions?entity=Nothing&numbers=1", "/export",
                "/export?entity=Picture&format=sql", "/export?table=Picture&format=csv", "/delete?entity=Picture&id=1",
                "/rows?entity=Picture&columns=nothing", "/rows?entity=Picture&columns=%25FF",
                "/rows?table=Picture&search=x",
                "/" + String(repeating: "a", count: 20_000),
            ]
            for address in addresses {
                let answer = try await gallery.page(address)
                #expect(
                    (400...503).contains(answer.status) || answer.text.contains("role=\"alert\""),
                    "\(address) \(answer.status)")
                #expect(!answer.text.contains("root:"))
            }
            for lines in [
                ["GET / HTTP/1.1", String(repeating: "X: y", count: 100_000)], ["\u{16}\u{3}\u{1}"], ["GET"],
                ["DELETE / HTTP/1.1"],
                ["PUT /rows HTTP/1.1"], ["OPTIONS * HTTP/1.1"], ["GET / HTTP/9.9"],
                ["POST / HTTP/1.1", "Content-Length: -1"],
            ] {
                let answer = try await gallery.answer(
                    lines + ["Host: 127.0.0.1:\(gallery.port)", gallery.cookie, "Connection: close"])
                #expect(answer.status == 0 || answer.status >= 400, "\(lines[0].prefix(40)) \(answer.status)")
            }
            #expect(try await gallery.page("/").status == 200)
        }
    }

    @Test("A store that is only read takes no change")
    func readOnly() async throws {
        try await Gallery.serving { gallery async throws in
            let form =
                "form-token=\(gallery.studio.formToken.text)&entity=Picture&id=1&version=1&value.title=x&row.1=1&property=title"
            for path in ["/save", "/insert", "/delete", "/bulk", "/bulk-save", "/undo", "/redo"] {
                #expect(try await gallery.submit(path, form).status >= 400, "\(path)")
            }
            #expect(try await gallery.page("/delete?entity=Picture&id=1").status == 404)
            #expect(try await !gallery.page("/object?entity=Picture&id=1").text.contains("<form"))
        }
    }

    @Test("A store that is written takes changes from its own forms alone")
    func forms() async throws {
        try await Gallery.serving(isWritable: true) { gallery async throws in
            func form(_ value: String, _ version: Int64, _ token: String? = nil) -> String {
                "form-token=\(token ?? gallery.studio.formToken.text)&entity=Picture&id=2&version=\(version)&row.2=\(version)&property=title&action=change&value.title=\(value)"
            }
            let version = try gallery.studio.browser.object("Picture", 2).version
            func title() throws -> String? {
                try gallery.studio.browser.object("Picture", 2).attributes.first { $0.name == "title" }?.value.text
            }
            let before = try title()
            for path in ["/save", "/insert", "/delete", "/bulk", "/bulk-save", "/undo", "/redo"] {
                #expect(try await gallery.submit(path, form("x", version, "wrong")).status == 403)
                #expect(try await gallery.submit(path, form("x", version), []).status == 403)
                #expect(
                    try await gallery.submit(path, form("x", version), ["Origin: https://example.org"]).status == 403)
                #expect(try await gallery.submit(path, form("x", version), ["Origin: null"]).status == 403)
                #expect(try await gallery.submit(path, "form-token").status >= 400)
            }
            #expect(
                try await gallery.submit("/save", form(String(repeating: "y", count: 5 << 20), version)).status >= 400)
            #expect(try await gallery.submit("/save", form("x", version + 1)).status == 409)
            #expect(
                try await gallery.submit("/save", form("x", version).replacingOccurrences(of: ".title", with: ".year"))
                    .status == 409)
            #expect(try title() == before)
            let answer = try await gallery.submit("/save", form("a%0D%0Ab%3Cb%3E+%26", version))
            #expect(answer.status == 303)
            #expect(try title() == "a\nb<b> &")
            #expect(try await gallery.submit("/undo", "form-token=\(gallery.studio.formToken.text)").status == 303)
            #expect(try title() == before)
            #expect(try await gallery.submit("/redo", "form-token=\(gallery.studio.formToken.text)").status == 303)
            #expect(try title() == "a\nb<b> &")
        }
    }

    @Test("Without a script, a search in the form offers objects and keeps the typed texts")
    func searchWithoutScript() async throws {
        try await Gallery.serving(isWritable: true) { gallery async throws in
            let version = try gallery.studio.browser.object("Picture", 2).version
            let form =
                "form-token=\(gallery.studio.formToken.text)&entity=Picture&id=2&version=\(version)&value.title=Typed&was.title=Picture+1&value.painter=2&was.painter=2&had.rooms.2=1"
            let painters = try await gallery.submit("/save", form + "&find.painter=ad&find=painter")
            #expect(painters.status == 200 && painters.text.contains("<option value=\"1\">Ada (1)</option>"))
            #expect(painters.text.contains(">\nTyped</textarea>"))
            // The box of the room that was taken away stays empty.
            #expect(
                painters.text.contains("<input type=\"checkbox\" name=\"member.rooms.2\" value=\"1\"> <bdi>R-2 (2)"))
            let rooms = try await gallery.submit("/save", form + "&find.rooms=R-3&find=rooms")
            #expect(rooms.text.contains("name=\"member.rooms.3\""))
            let nothing = try await gallery.submit("/save", form + "&find.rooms=zz&find=rooms")
            #expect(nothing.text.contains("No Room contains &#39;zz&#39;."))
            let saved = try await gallery.submit("/save", form + "&member.rooms.3=1")
            #expect(saved.status == 303)
            let object = try gallery.studio.browser.object("Picture", 2)
            #expect(object.label == "Typed")
            #expect(object.relationships.first { $0.name == "rooms" }?.objects.map(\.number) == [3])
        }
    }

    @Test("Text of the store is markup on no page")
    func markup() async throws {
        try await Gallery.serving(isWritable: true) { gallery async throws in
            let pages = [
                "/", "/rows?entity=Picture", "/rows?entity=Painter", "/object?entity=Picture&id=1",
                "/object?entity=Painter&id=1",
                "/object?entity=Painter&id=2", "/map?entity=Picture", "/history", "/schema", "/model", "/differences",
                "/rows?table=Picture", "/query?entity=Picture&filter=title%20%3D%3D%20%22%3Cscript%3E%22",
                "/rows?entity=Picture&filter=%22%3E%3Cscript%3E", "/rows?entity=%3Cscript%3E",
                "/rows?table=%3Cscript%3E%22", "/delete?entity=Picture&id=1", "/delete?entity=Painter&id=2",
                "/new?entity=Picture", "/sql?sql=SELECT+*%2C+%27%3Cscript%3E%27+AS+%22%3Cscript%3E%22+FROM+Picture",
                "/sql?sql=%3C%2Ftextarea%3E%3Cscript%3E", "/rows?entity=Picture&search=%22%3E%3Cscript%3E",
                "/rows?entity=Picture&columns=title&choosing=1",
            ]
            for address in pages {
                let page = try await gallery.page(address)
                #expect(!page.text.contains("<script>"), "\(address)")
                #expect(!page.text.contains("onload=x &amp; "), "\(address)")
                #expect(page.text.components(separatedBy: "<script").count == 2)
            }
            #expect(try await gallery.page("/rows?entity=Picture").text.contains("&lt;script&gt;"))
        }
    }
}
