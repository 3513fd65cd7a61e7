import Foundation
@_spi(Studio) import StoreBrowsing
import Testing

@_spi(Studio) @testable import StudioServer

/// The pages in a real browser: clicks lead on, keys do what they say, and the console stays empty.
@Suite(.enabled(if: Browser.driver != nil, "Scripts/set-up chromium installs a browser and its driver"), .serialized)
struct BrowserTests {
    static let (down, up, enter, tab, escape) = ("\u{E015}", "\u{E013}", "\u{E007}", "\u{E004}", "\u{E00C}")
    static let (shift, control) = ("\u{E008}", "\u{E009}")

    /// Runs a closure with a browser that has opened the pages of a store as its owner does.
    func looking<Result: Sendable>(
        _ look: Browser.Look = .light, isWritable: Bool = false, hasHistory: Bool = true, hasScript: Bool = true,
        _ body: (Browser, Gallery) async throws -> Result
    ) async throws -> Result {
        try await Gallery.serving(isWritable: isWritable, hasHistory: hasHistory) { gallery async throws in
            try await Browser.running(look, hasScript: hasScript) { browser async throws in
                try await browser.open(gallery.studio.address)
                #expect(try await browser.path == "/")
                let result = try await body(browser, gallery)
                #expect(try await browser.console == [])
                return result
            }
        }
    }

    @Test("every page is shown in light, in dark and in a narrow window", arguments: Browser.Look.allCases)
    func pages(_ look: Browser.Look) async throws {
        try await looking(look, isWritable: true) { browser, gallery async throws in
            let pages = [
                ("overview", "/"), ("model", "/model"), ("rows", "/rows?entity=Picture"),
                ("error", "/rows?entity=Picture&filter=nothing"),
                ("filtered", "/rows?entity=Picture&filter=year%3E1920&sort=title"), ("table", "/rows?table=Picture"),
                ("object", "/object?entity=Picture&id=1"), ("painter", "/object?entity=Painter&id=1"),
                ("map", "/map?entity=Picture"), ("history", "/history"), ("schema", "/schema"),
                ("query", "/query?entity=Picture&filter=year%3E1920"), ("differences", "/differences"),
                ("new", "/new?entity=Picture"), ("deletion", "/delete?entity=Picture&id=1"),
                ("columns", "/rows?entity=Picture&columns=title,year&choosing=1"),
                ("sql", "/sql?sql=SELECT%20title%2C%20year%20FROM%20Picture%20LIMIT%205"),
                ("sql-error", "/sql?sql=SELEC"),
            ]
            for (name, path) in pages {
                try await browser.open("http://127.0.0.1:\(gallery.port)" + path)
                #expect(try await browser.value("document.title").hasSuffix("– Ashlar Studio"), "\(path)")
                #expect(try await browser.value("document.scripts.length") == "1")
                #expect(try await browser.value("document.querySelectorAll('main h1').length") == "1", "\(path)")
                // The style is there, and follows the reader's choice.
                let background = try await browser.value("getComputedStyle(document.body).backgroundColor")
                #expect(background == (look == .dark ? "rgb(13, 17, 23)" : "rgb(255, 255, 255)"))
                let picture = try await browser.picture()
                #expect(picture.count > 5000)
                try Self.keep(picture, "\(name)-\(look)")
                // Nothing but wide tables and pictures, which scroll by themselves, is wider than the page.
                #expect(
                    try await browser.value("document.documentElement.scrollWidth <= innerWidth") == "true", "\(path)")
                #expect(
                    try await browser.value(
                        "[...document.querySelectorAll('input:not([type=hidden]),textarea,select')].every(e => e.labels.length || e.ariaLabel)"
                    ) == "true", "\(path)")
                let nameless = try await browser.namelessElements
                #expect(nameless.isEmpty, "\(path): \(nameless)")
                #expect(try await browser.faintTexts == "", "\(path)")
                #expect(try await browser.console == [], "\(path)")
            }
        }
    }

    /// Writes a picture for people to look at, where `ASHLAR_SCREENSHOTS` names a folder.
    static func keep(_ picture: Data, _ name: String) throws {
        guard let folder = ProcessInfo.processInfo.environment["ASHLAR_SCREENSHOTS"] else { return }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try picture.write(to: URL(fileURLWithPath: folder).appendingPathComponent(name + ".png"))
    }

    @Test("from the model to an entity, its sorted objects, the next page, an object, and the one that it refers to")
    func clicks() async throws {
        try await looking { browser, _ async throws in
            try await browser.click("//header//a[.='Model']")
            try await browser.click("//*[name()='svg']//*[name()='a'][contains(@href,'Picture')]")
            try await browser.wait("document.querySelector('#panel h2')?.innerText === 'Picture'")
            try await browser.click("//a[.='Objects of Picture']")
            #expect(try await browser.path == "/rows?entity=Picture")
            try await browser.click("//thead//a[.='year']")
            try await browser.click("//thead//a[.='year']")
            #expect(
                try await browser.value("document.querySelector('th[aria-sort=descending]').innerText")
                    .contains("year"))
            try await browser.press("n")
            try await browser.wait("location.search.includes('behind=')")
            try await browser.press("p")
            try await browser.wait("location.search.includes('before=')")
            try await browser.click("//nav[@class='pager'][1]//a[.='First page']")
            #expect(try await browser.value("location.search.includes('behind')") == "false")
            try await browser.click("//tbody/tr[1]/th/a")
            #expect(try await browser.path.hasPrefix("/object?entity=Picture&id="))
            try await browser.click("//td//a[contains(@href,'Painter')]")
            #expect(try await browser.path.hasPrefix("/object?entity=Painter"))
            try await browser.click("//a[contains(@href,'relationship=pictures')]")
            #expect(try await browser.value("document.querySelectorAll('tbody tr').length") == "50")
            try await browser.click("//p/a[contains(@href,'/object?entity=Painter')]")
            #expect(try await browser.path.hasPrefix("/object?entity=Painter"))
        }
    }

    @Test("from the overview to the tables, the map and one of its points, the history, the schema and the differences")
    func otherPages() async throws {
        try await looking { browser, _ async throws in
            try await browser.click("//summary[.='Tables as they are stored']")
            try await browser.click("//details//a[.='Picture']")
            #expect(try await browser.path == "/rows?table=Picture")
            #expect(try await browser.value("document.querySelectorAll('tbody tr').length") == "50")
            try await browser.click("//header//a[.='Overview']")
            try await browser.click("//a[.='Map']")
            #expect(try await browser.path == "/map?entity=Picture")
            let all = try await browser.value("document.querySelectorAll('svg.map circle').length")
            #expect(all == "120")
            for step in ["Closer", "← Left", "Right →", "↑ Up", "↓ Down", "Wider"] {
                try await browser.click("//nav[@class='pager']//a[.='\(step)']")
                #expect(try await browser.value("location.search.includes('left=')") == "true")
            }
            try await browser.click("//nav[@class='pager']//a[.='All']")
            #expect(try await browser.value("document.querySelectorAll('svg.map circle').length") == all)
            try await browser.click("//summary[.='As a list']")
            try await browser.click("//details//li[2]/a")
            #expect(try await browser.path.hasPrefix("/object?entity=Picture"))
            try await browser.click("//header//a[.='History']")
            #expect(try await browser.value("document.querySelectorAll('.timeline > li').length") == "2")
            try await browser.click("//li[contains(@class,'insertion')]//a")
            #expect(try await browser.path.hasPrefix("/object?entity="))
            try await browser.click("//header//a[.='Schema']")
            #expect(try await browser.value("document.querySelector('details[open] pre').innerText").contains("CREATE"))
            try await browser.click("//details[2]/summary")
            #expect(try await browser.value("document.querySelectorAll('details[open]').length") == "2")
            try await browser.click("//header//a[.='Differences']")
            #expect(try await browser.value("document.querySelector('main').innerText").contains("have equal rows"))
        }
    }

    @Test("a list's plan and its index advice are a click away, and back")
    func plan() async throws {
        try await looking { browser, _ async throws in
            try await browser.click("//tbody//a[.='Picture']")
            try await browser.press("/")
            try await browser.press("year > 1920" + Self.enter)
            try await browser.wait("location.search.includes('filter=year')")
            try await browser.click("//a[.='Plan of the query']")
            #expect(try await browser.value("document.querySelector('pre').innerText").contains("Picture"))
            #expect(try await browser.value("document.querySelectorAll('pre').length") == "3")
            try await browser.click("//a[.='Back to the rows']")
            #expect(try await browser.value("document.getElementById('filter').value") == "year > 1920")
        }
    }

    @Test("key paths are completed by keys, and the filter holds")
    func completion() async throws {
        /// Whether a path alone is offered: what was offered for less text stays until the answer comes.
        func offered(_ path: String) -> String {
            "!document.getElementById('key-paths').hidden && "
                + "[...document.querySelectorAll('#key-paths li')].map(e => e.textContent).join() === '\(path)'"
        }
        try await looking { browser, _ async throws in
            try await browser.click("//tbody//a[.='Picture']")
            try await browser.press("/")
            try await browser.wait("document.activeElement.id === 'filter'")
            try await browser.press("year > 1930 AND painter.n")
            try await browser.wait(offered("painter.name"))
            #expect(try await browser.value("document.getElementById('filter').ariaExpanded") == "true")
            try await browser.press(Self.escape)
            try await browser.wait("document.getElementById('key-paths').hidden")
            try await browser.press("a")
            try await browser.wait(offered("painter.name"))
            try await browser.press(Self.down + Self.enter)
            #expect(
                try await browser.value("document.getElementById('filter').value") == "year > 1930 AND painter.name")
            try await browser.press(" == \"Ada\" AND t")
            try await browser.wait(offered("title"))
            try await browser.press(Self.up + Self.tab + " != \"\"" + Self.enter)
            try await browser.wait("location.search.includes('Ada') && document.readyState === 'complete'")
            #expect(
                try await browser.value("document.getElementById('filter').value")
                    == "year > 1930 AND painter.name == \"Ada\" AND title != \"\"")
            #expect(try await browser.value("document.querySelectorAll('tbody tr').length") == "18")
        }
    }

    @Test("the keyboard alone leads to the content and through the pages")
    func keyboard() async throws {
        try await looking { browser, _ async throws in
            try await browser.press(Self.tab)
            #expect(try await browser.value("document.activeElement.innerText") == "Skip to the content")
            try await browser.press(Self.enter)
            try await browser.wait("document.activeElement.id === 'content'")
            // The table, which scrolls, and its first link.
            try await browser.press(Self.tab + Self.tab)
            #expect(try await browser.value("document.activeElement.innerText") == "Frame")
            #expect(try await browser.value("getComputedStyle(document.activeElement).outlineStyle") == "solid")
            try await browser.press(Self.enter)
            try await browser.wait("location.search === '?entity=Frame'")
            // Letters in a field are letters.
            try await browser.wait("document.getElementById('filter') !== null")
            try await browser.press("/np/")
            #expect(try await browser.value("document.getElementById('filter').value") == "np/")
        }
    }
}
