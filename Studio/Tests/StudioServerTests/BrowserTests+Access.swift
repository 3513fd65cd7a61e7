import Ashlar
import Foundation
@_spi(Studio) import StoreBrowsing
import Testing

@_spi(Studio) @testable import StudioServer

/// The store's pages by keys alone, and without scripts.
extension BrowserTests {
    private func open(_ browser: Browser, _ gallery: Gallery, _ path: String) async throws {
        try await browser.open("http://127.0.0.1:\(gallery.port)" + path)
    }

    private func press(_ key: String, until expression: String, _ browser: Browser) async throws {
        for _ in 0..<100 {
            if try await browser.value(expression) == "true" { return }
            try await browser.press(key)
        }
        Issue.record("The focus never came to \(expression).")
    }

    @Test("An object is found, edited, saved and restored with keys alone")
    func keysAlone() async throws {
        try await looking(isWritable: true) { browser, gallery async throws in
            try await press(Self.tab, until: "document.activeElement.innerText === 'Picture'", browser)
            try await browser.press(Self.enter)
            try await browser.wait("!!document.getElementById('search')")
            try await press(Self.tab, until: "document.activeElement.id === 'search'", browser)
            try await browser.press("Picture 119")
            try await browser.wait("document.querySelectorAll('tbody tr').length === 1")
            try await press(
                Self.tab, until: "!!document.activeElement.closest('tbody th')", browser)
            try await browser.press(Self.enter)
            try await browser.wait("location.pathname === '/object' && document.readyState === 'complete'")
            try await press(Self.tab, until: "document.activeElement.name === 'value.year'", browser)
            try await browser.press("a", holding: Self.control)
            try await browser.press("1999")
            try await press(Self.tab, until: "document.activeElement.name === 'find.painter'", browser)
            try await browser.press("Ada")
            try await browser.wait("document.querySelector('#choices-painter li')?.innerText === 'Ada (1)'")
            try await browser.press(Self.down + Self.enter)
            #expect(
                try await browser.value("document.querySelector('[name=\"value.painter\"]').value") == "1")
            try await press(Self.tab, until: "document.activeElement.innerText === 'Save'", browser)
            try await browser.press(Self.enter)
            try await browser.wait("document.querySelector('.notice')?.innerText === 'Saved.'")
            #expect(
                try gallery.value("SELECT year || ' ' || painter FROM Picture WHERE title = 'Picture 119'") == "1999 1")
            try await press(
                Self.tab, until: "document.activeElement.innerText.startsWith('Undo: ')", browser)
            try await browser.press(Self.enter)
            try await browser.wait("document.querySelector('.notice')?.innerText.startsWith('Undone: ') ?? false")
            #expect(
                try gallery.value("SELECT year || ' ' || painter FROM Picture WHERE title = 'Picture 119'") == "1919 2")
        }
    }

    @Test("Without scripts, lists are searched, sorted and changed, objects edited and deleted, statements run")
    func withoutScript() async throws {
        try await looking(isWritable: true, hasScript: false) { browser, gallery async throws in
            try await browser.answered { try await browser.click("//tbody//a[.='Picture']") }
            try await browser.type("Picture 11", into: "//*[@id='search']")
            try await browser.answered { try await browser.click("//button[.='Show']") }
            #expect(try await browser.value("document.querySelectorAll('tbody tr').length") == "11")
            try await browser.answered { try await browser.click("//thead//a[.='title']") }
            try await browser.click("//summary[.='Columns']")
            try await browser.answered { try await browser.click("//a[@aria-label='Hide key']") }
            #expect(
                try await browser.value(
                    "[...document.querySelectorAll('thead th a')].some(e => e.innerText === 'key')") == "false")
            try await browser.click("(//tbody//input)[1]")
            try await browser.click("(//tbody//input)[2]")
            try await browser.click("//*[@id='property']/option[.='year']")
            try await browser.answered { try await browser.click("//button[.='Change…']") }
            try await browser.clear("//*[@name='value.year']")
            try await browser.type("1888", into: "//*[@name='value.year']")
            try await browser.answered { try await browser.click("//button[.='Save in 2 objects']") }
            #expect(try gallery.value("SELECT count(*) FROM Picture WHERE year = 1888") == "2")
            // The list is the one that the rows were chosen in.
            #expect(try await browser.value("document.getElementById('search').value") == "Picture 11")
            #expect(try await browser.value("document.querySelectorAll('tbody tr').length") == "11")
            try await browser.click("(//tbody//input)[1]")
            try await browser.answered { try await browser.click("//button[.='Delete…']") }
            try await browser.answered { try await browser.click("//button[.='Delete']") }
            #expect(try await browser.value("document.querySelectorAll('tbody tr').length") == "10")
            #expect(try await browser.value("location.search.includes('search=Picture')") == "true")
            try await browser.answered { try await browser.click("//button[starts-with(.,'Undo')]") }
            #expect(try gallery.value("SELECT count(*) FROM Picture") == "120")

            try await open(browser, gallery, "/object?entity=Picture&id=2")
            try await browser.type("Ada", into: "//*[@name='find.painter']")
            try await browser.answered { try await browser.click("//button[@aria-label='Find objects for painter']") }
            try await browser.click("//*[@name='value.painter']/option[@value='1']")
            try await browser.clear("//*[@name='value.title']")
            try await browser.type("Plain", into: "//*[@name='value.title']")
            try await browser.answered { try await browser.click("(//button[.='Save'])[1]") }
            #expect(try await browser.value("document.querySelector('.notice').innerText") == "Saved.")
            #expect(try gallery.value("SELECT title || painter FROM Picture WHERE id$ = 2") == "Plain1")
            try await open(browser, gallery, "/sql")
            try await browser.type("SELECT count(*) FROM Room", into: "//*[@id='sql']")
            try await browser.answered { try await browser.click("//button[.='Run']") }
            #expect(try await browser.value("document.querySelector('tbody td').innerText") == "3")
        }
    }
}
