import Foundation
@_spi(Studio) import StoreBrowsing
import Testing

@_spi(Studio) @testable import StudioServer

/// The pages in a real browser: clicks lead on, keys do what they say, and the console stays empty.
@Suite(.enabled(if: Browser.driver != nil), .serialized) struct BrowserTests {
    private static let (down, enter) = ("\u{E015}", "\u{E007}")

    @Test("every page is shown in light and dark, with nothing in the console", arguments: [false, true])
    func pages(isDark: Bool) async throws {
        let gallery = try await Gallery(isWritable: true)
        let browser = try await Browser(isDark: isDark)
        try await browser.open(gallery.studio.address)
        let root = "http://127.0.0.1:\(gallery.port)"
        #expect(try await browser.address == root + "/")
        for path in [
            "/", "/model", "/rows?entity=Picture", "/rows?entity=Picture&filter=nothing", "/rows?table=Picture",
            "/object?entity=Picture&id=1", "/object?entity=Painter&id=1", "/map?entity=Picture", "/history", "/schema",
            "/query?entity=Picture&filter=year%3E1920", "/differences",
        ] {
            try await browser.open(root + path)
            #expect(try await browser.value("document.title").hasSuffix("– Ashlar Studio"), "\(path)")
            #expect(try await browser.value("document.scripts.length") == "1")
            // The style is there, and follows the reader's choice.
            let background = try await browser.value("getComputedStyle(document.body).backgroundColor")
            #expect(background == (isDark ? "rgb(13, 17, 23)" : "rgb(255, 255, 255)"))
            #expect(try await browser.picture().count > 5000)
            // Nothing but wide tables and pictures, which scroll by themselves, is wider than the page.
            #expect(try await browser.value("document.documentElement.scrollWidth <= innerWidth") == "true", "\(path)")
            #expect(
                try await browser.value(
                    "[...document.querySelectorAll('input:not([type=hidden]),textarea,select')].every(e => e.labels.length || e.ariaLabel)"
                )
                    == "true", "\(path)")
            #expect(try await browser.console == [], "\(path)")
        }
    }

    @Test("from the model to an entity, its sorted objects, the next page, an object, and the one that it refers to")
    func clicks() async throws {
        let gallery = try await Gallery()
        let browser = try await Browser()
        try await browser.open(gallery.studio.address)
        try await browser.click("//header//a[.='Model']")
        try await browser.click("//*[name()='svg']//*[name()='a'][contains(@href,'Picture')]")
        #expect(try await browser.address.hasSuffix("/rows?entity=Picture"))
        try await browser.click("//thead//a[.='year']")
        try await browser.click("//thead//a[.='year']")
        #expect(
            try await browser.value("document.querySelector('th[aria-sort=descending]').innerText").contains("year"))
        try await browser.type("n", into: "//main")
        try await browser.wait("location.search.includes('behind=')")
        try await browser.type("p", into: "//main")
        try await browser.wait("location.search.includes('before=')")
        try await browser.click("//tbody/tr[1]/th/a")
        #expect(try await browser.address.contains("/object?entity=Picture&id="))
        try await browser.click("//td//a[contains(@href,'Painter')]")
        #expect(try await browser.address.contains("/object?entity=Painter"))
        try await browser.click("//a[contains(@href,'relationship=pictures')]")
        #expect(try await browser.value("document.querySelectorAll('tbody tr').length") == "50")
        #expect(try await browser.console == [])
    }

    @Test("key paths are completed by keys, and the filter holds")
    func completion() async throws {
        let gallery = try await Gallery()
        let browser = try await Browser()
        try await browser.open(gallery.studio.address)
        try await browser.open("http://127.0.0.1:\(gallery.port)/rows?entity=Picture")
        try await browser.type("/", into: "//main")
        try await browser.wait("document.activeElement.id === 'filter'")
        try await browser.type("year > 1930 AND painter.n", into: "//input[@id='filter']")
        try await browser.wait("document.querySelectorAll('#key-paths li').length === 1")
        #expect(try await browser.value("document.getElementById('filter').ariaExpanded") == "true")
        try await browser.type(Self.down + Self.enter, into: "//input[@id='filter']")
        #expect(try await browser.value("document.getElementById('filter').value") == "year > 1930 AND painter.name")
        try await browser.type(" == \"Ada\"" + Self.enter, into: "//input[@id='filter']")
        try await browser.wait("location.search.includes('Ada')")
        #expect(try await browser.value("document.querySelectorAll('tbody tr').length") == "18")
        #expect(try await browser.console == [])
    }

    @Test("a change, its undo and its redo, and what is refused")
    func editing() async throws {
        let gallery = try await Gallery(isWritable: true)
        let browser = try await Browser()
        try await browser.open(gallery.studio.address)
        let page = "http://127.0.0.1:\(gallery.port)/object?entity=Picture&id=2"
        let field = "//form[input[@value='title']]//textarea"
        let text = "document.querySelector('form:has(input[value=title]) textarea').value"
        try await browser.open(page)
        let before = try await browser.value(text)
        try await browser.clear(field)
        try await browser.type("<i>new</i> & \"old\"", into: field)
        try await browser.click("//form[input[@value='title']]/button")
        #expect(try await browser.value(text) == "<i>new</i> & \"old\"")
        try await browser.click("//button[.='Undo']")
        #expect(try await browser.address.hasSuffix("/history"))
        #expect(try await browser.value("document.querySelector('.timeline').innerText").contains("ashlar-studio"))
        try await browser.open(page)
        #expect(try await browser.value(text) == before)
        try await browser.click("//button[.='Redo']")
        try await browser.open(page)
        #expect(try await browser.value(text) == "<i>new</i> & \"old\"")
        #expect(try await browser.console == [])
        try await browser.clear("//form[input[@value='year']]//input[@name='value']")
        try await browser.type("4000", into: "//form[input[@value='year']]//input[@name='value']")
        try await browser.click("//form[input[@value='year']]/button")
        #expect(
            try await browser.value("document.querySelector('[role=alert]').innerText").contains("greater than 3000"))
    }
}
