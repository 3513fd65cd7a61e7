import Foundation
@_spi(Studio) import ModelAuthoring
import Testing

@_spi(Studio) @testable import StudioServer

/// The model's page in a real browser, by mouse and keys.
@Suite(.enabled(if: Browser.driver != nil, "Scripts/set-up chromium installs a browser and its driver"), .serialized)
struct ModelBrowserTests {
    /// Runs a closure with a browser that has opened the page of a model.
    func editing<Result: Sendable>(
        _ contents: String? = ModelBench.feed, _ look: Browser.Look = .light, hasScript: Bool = true,
        isTraced: Bool = false, _ body: (Browser, ModelBench) async throws -> Result
    ) async throws -> Result {
        try await ModelBench.serving(contents) { bench async throws in
            try await Browser.running(look, hasScript: hasScript, isTraced: isTraced) { browser async throws in
                try await browser.open(bench.studio.address)
                let result = try await body(browser, bench)
                // A refused form is an answer with an error status, which the browser notes.
                #expect(try await browser.console.filter { !$0.contains("409") } == [])
                return result
            }
        }
    }

    func box(_ name: String) -> String { "//*[name()='a'][@data-box='\(name)']" }
    private func place(_ name: String, _ browser: Browser) async throws -> [Int] {
        try await browser.value("(() => { const d = \(Browser.script(box(name))).dataset; return d.x + ' ' + d.y })()")
            .split(separator: " ").compactMap { Int($0) }
    }

    /// Adds a part by the mouse; only the texts are typed.
    func add(_ browser: Browser, _ title: String, _ fields: [(String, String)]) async throws {
        let form = "//details[summary='\(title)']"
        if try await browser.value("\(Browser.script(form)).open") == "false" {
            try await browser.click(form + "/summary")
        }
        for (name, value) in fields {
            let field = form + "//*[@name='\(name)']"
            switch try await browser.value("\(Browser.script(field)).tagName + \(Browser.script(field)).type") {
            case "SELECTselect-one": try await browser.click(field + "/option[@value='\(value)']")
            case "INPUTcheckbox": try await browser.click(field)
            default:
                try await browser.clear(field)
                try await browser.type(value, into: field)
            }
        }
        try await browser.answered { try await browser.click(form + "//button[.='Add']") }
    }

    @Test("The README's model, made from nothing with the mouse, has the bytes that ashlar format writes")
    func readme() async throws {
        let readme = try String(
            contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
                "../../../README.md"), encoding: .utf8)
        let start = try #require(readme.range(of: "```xml\n"))
        let end = try #require(readme.range(of: "```\n\nThe program"))
        let wanted = try ModelDesk.formatted(String(readme[start.upperBound..<end.lowerBound]))
        try await editing(nil) { browser, bench async throws in
            try await browser.click("//button[.='Create Feed']")
            try await browser.wait("!!document.querySelector('#canvas')")
            for name in ["Post", "Author"] {
                if name == "Author" { try await browser.click("//a[.='Close']") }
                try await browser.wait("!!\(Browser.script("//details[summary='New entity']"))")
                try await add(browser, "New entity", [("name", name)])
                try await browser.wait("document.querySelector('#panel h2')?.innerText === '\(name)'")
            }
            try await add(browser, "New attribute", [("name", "name")])
            try await browser.wait("!!\(Browser.script("//details[summary/b='name']"))")
            try await browser.click(box("Post"))
            try await browser.wait("document.querySelector('#panel h2')?.innerText === 'Post'")
            for fields in [
                [("name", "title")], [("name", "timestamp"), ("type", "Date")],
                [("name", "likes"), ("type", "Integer 64"), ("default", "0")],
            ] {
                try await add(browser, "New attribute", fields)
                try await browser.wait("!!\(Browser.script("//details[summary/b='\(fields[0].1)']"))")
            }
            // The relationship is drawn from box to box.
            try await browser.drag(box("Author") + "//*[name()='circle']", to: [(5, 5), (0, 0)], of: box("Post"))
            try await browser.wait("document.activeElement?.id === 'new-relationship-name'")
            #expect(
                try await browser.value("document.querySelector('#new-relationship-destination').value") == "Post")
            try await add(
                browser, "New relationship",
                [
                    ("name", "posts"), ("count", "one-to-many"), ("rule", "Cascade"), ("inverse", "author"),
                ])
            try await browser.wait("document.querySelectorAll('g.line').length === 1")
            #expect(try bench.contents() == wanted)
            #expect(try ModelDesk.formatted(bench.contents()) == wanted)
            // All of it is undone by keys.
            try await browser.click("//*[@id='panel']/h2")
            for _ in 0..<7 {
                let title = try await browser.value("document.querySelector('.undo button').innerText")
                try await browser.press("z", holding: BrowserTests.control)
                try await browser.wait("document.querySelector('.undo button')?.innerText !== '\(title)'")
            }
            #expect(!(try bench.contents().contains("<entity")))
        }
    }

    @Test("A dragged box stays where it was left, with the lines that the server draws, and goes back with undo")
    func dragging() async throws {
        try await editing { browser, bench async throws in
            let before = try await place("Post", browser)
            // The first drag places all boxes.
            try await browser.drag(box("Post"), from: (0, -40), to: [(40, 60), (180, 120)])
            try await browser.wait("document.querySelector('svg.canvas').dataset.arranged === '0'")
            let after = try await place("Post", browser)
            #expect(after[0] == before[0] + 180 && after[1] == before[1] + 160)
            #expect(bench.places.contains("\(after[0]) \(after[1]) Post\n"))
            #expect(try bench.contents() == ModelBench.feed)
            let ways =
                "[...document.querySelectorAll('g.line path, g.line .end')].map(e => e.getAttribute('d') ?? e.getAttribute('transform')).join()"
            // The script's curves during the drag are the server's.
            _ = try await browser.value(
                "(() => { const send = window.fetch; window.fetch = (...a) => { window.drawn = \(ways); return send(...a) } })()"
            )
            try await browser.drag(box("Author"), from: (0, -20), to: [(30, 30), (20, 200)])
            try await browser.wait(
                "!!document.querySelector('.undo button:enabled') && document.querySelector('.undo button').innerText === 'Undo: Move Author'"
            )
            #expect(try await browser.value("window.drawn === \(ways)") == "true")
            try await browser.click("//button[starts-with(.,'Undo')]")
            try await browser.wait("document.querySelector('.undo button').innerText === 'Undo: Move Post'")
            #expect(try await place("Post", browser) == after)
            // Keys move, too.
            _ = try await browser.value("\(Browser.script(box("Tag"))).focus()")
            let tag = try await place("Tag", browser)
            try await browser.press("\u{E014}\u{E014}\u{E015}")
            try await browser.wait("document.querySelector('.undo button').innerText === 'Undo: Move Tag'")
            try await browser.wait("\(Browser.script(box("Tag"))).dataset.y === '\(tag[1] + 10)'")
            #expect(try await place("Tag", browser) == [tag[0] + 20, tag[1] + 10])
            try await browser.click("//button[.='Arrange']")
            try await browser.wait("document.querySelector('svg.canvas').dataset.arranged === '1'")
            #expect(bench.places.isEmpty)
        }
    }

    @Test("The diagram zooms and pans, finds entities and properties, and shows neighbors alone")
    func looking() async throws {
        try await editing { browser, _ async throws in
            let width = "document.querySelector('svg.canvas').getBoundingClientRect().width"
            let before = Double(try await browser.value(width)) ?? 0
            try await browser.click("//button[@aria-label='Zoom in']")
            for _ in 0..<3 { try await browser.click("//button[@aria-label='Zoom in']") }
            let larger = Double(try await browser.value(width)) ?? 0
            #expect(larger > before * 2)
            // The background moves the diagram.
            let free = try await browser.value(
                """
                (() => {
                  const area = document.querySelector('#canvas').getBoundingClientRect();
                  for (let x = area.left + 150; x < area.right - 20; x += 10)
                    for (let y = area.top + 150; y < area.bottom - 20; y += 10) {
                      const found = document.elementFromPoint(x, y);
                      if (found.tagName === 'svg') return [x - area.left - area.width / 2, y - area.top - area.height / 2];
                    }
                })()
                """
            ).split(separator: ",").compactMap { Double($0) }.map { Int($0) }
            try await browser.drag(
                "//*[@id='canvas']", from: (free[0], free[1]),
                to: [(free[0] - 50, free[1] - 50), (free[0] - 100, free[1] - 100)])
            try await browser.wait(
                "document.querySelector('#canvas').scrollLeft + document.querySelector('#canvas').scrollTop > 50")
            try await browser.click("//button[@aria-label='Fit the diagram']")
            let fitting = Double(try await browser.value(width)) ?? 0
            #expect(fitting <= before + 1)
            try await browser.click("//h1")
            try await browser.press("/")
            try await browser.press("likes")
            try await browser.wait("document.querySelectorAll('a.found').length === 1")
            #expect(try await browser.value("document.querySelector('a.found').dataset.box") == "Post")
            try await browser.press(BrowserTests.enter)
            try await browser.wait("document.querySelector('#panel h2')?.innerText === 'Post'")
            try await browser.click("//a[.='Neighbors only']")
            try await browser.wait("document.querySelectorAll('a[data-box]').length === 2")
            try await browser.click("//a[.='Show all entities']")
            try await browser.wait("document.querySelectorAll('a[data-box]').length === 3")
        }
    }

    @Test("The panel saves fields without loading the page, says what is wrong beside them, and keeps what was typed")
    func panel() async throws {
        try await editing { browser, bench async throws in
            _ = try await browser.value("(window.same = true)")
            try await browser.click(box("Post"))
            try await browser.wait("document.querySelector('#panel h2')?.innerText === 'Post'")
            try await browser.click("//summary[b='likes']")
            let field = "//details[summary/b='likes']//*[@name='field.default']"
            try await browser.clear(field)
            try await browser.type("many" + BrowserTests.enter, into: field)
            try await browser.wait("!!document.querySelector('#panel [aria-invalid=true]')")
            #expect(try await browser.value("\(Browser.script(field)).value") == "many")
            #expect(try bench.contents() == ModelBench.feed)
            try await browser.clear(field)
            try await browser.type("12" + BrowserTests.enter, into: field)
            try await browser.wait("document.querySelector('.undo button').innerText === 'Undo: Change Post.likes'")
            #expect(
                try bench.contents()
                    == ModelBench.feed.replacingOccurrences(
                        of: "defaultValueString=\"0\"", with: "defaultValueString=\"12\""))
            #expect(try await browser.value("window.same") == "true")
            #expect(try await browser.value("\(Browser.script("//details[summary/b='likes']")).open") == "true")
            // Every field has a label.
            #expect(
                try await browser.value(
                    "[...document.querySelectorAll('input:not([type=hidden]),textarea,select')].filter(e => !e.labels.length && !e.ariaLabel).map(e => e.outerHTML).join()"
                ) == "")
            try await browser.click("//button[@aria-label='Remove Post.likes']")
            try await browser.wait("!\(Browser.script("//summary[b='likes']"))")
            #expect(!(try bench.contents().contains("likes")))
        }
    }

    @Test("An edit of another program appears by itself, and typed text stays")
    func live() async throws {
        try await editing { browser, bench async throws in
            try await browser.click(box("Post"))
            try await browser.wait("document.querySelector('#panel h2')?.innerText === 'Post'")
            try await browser.click("//summary[.='New attribute']")
            try await browser.type("typed", into: "//*[@id='new-attribute-name']")
            try bench.replace("name=\"word\"", with: "name=\"term\"")
            try await browser.wait("document.querySelector('svg.canvas').textContent.includes('term')")
            #expect(try await browser.value("document.querySelector('#new-attribute-name').value") == "typed")
            #expect(
                try await browser.value("document.querySelector('#changed').innerText")
                    == "Another program changed the model.")
        }
    }

    @Test("A new version shows its changes and the proven migration while it is edited")
    func versions() async throws {
        try await editing { browser, bench async throws in
            try await browser.click("//button[.='New version']")
            try await browser.wait("document.querySelector('h1').innerText === 'Feed 2'")
            try await browser.click("//summary[.='Changes and migration']")
            try await browser.wait("document.querySelector('[data-version]')?.innerText.includes('Nothing differs')")
            try await browser.click(box("Tag"))
            try await browser.wait("document.querySelector('#panel h2')?.innerText === 'Tag'")
            try await add(browser, "New attribute", [("name", "color"), ("optional", "YES")])
            try await browser.wait(
                "document.querySelector('[data-version]')?.innerText.includes('attribute Tag.color')")
            #expect(
                try await browser.value("document.querySelector('[data-version]').innerText").contains("ALTER TABLE"))
            try await browser.click("//a[.='Close']")
            try await browser.wait("!!\(Browser.script("//button[@aria-label='Lock Feed 2']"))")
            try await browser.click("//button[@aria-label='Lock Feed 2']")
            try await browser.wait("document.querySelector('.versions li[aria-current]')?.innerText.includes('locked')")
            #expect(try await browser.value("document.querySelectorAll('form[action=\"/model-add\"]').length") == "0")
        }
    }

    @Test("The page is shown in light, in dark and in a narrow window", arguments: Browser.Look.allCases)
    func looks(_ look: Browser.Look) async throws {
        try await editing(ModelBench.feed, look) { browser, bench async throws in
            for (name, path) in [
                ("model-overview", "/model"), ("model-entity", "/model?entity=Post&property=likes"),
                ("model-review", "/model-review?version=Feed"),
            ] {
                try await browser.open("http://127.0.0.1:\(bench.port)" + path)
                let picture = try await browser.picture()
                #expect(picture.count > 5000)
                try BrowserTests.keep(picture, "\(name)-\(look)")
                #expect(
                    try await browser.value("document.documentElement.scrollWidth <= innerWidth") == "true", "\(path)")
                #expect(try await browser.value("document.querySelectorAll('main h1').length") == "1")
                let nameless = try await browser.namelessElements
                #expect(nameless.isEmpty, "\(path): \(nameless)")
                #expect(try await browser.faintTexts == "", "\(path)")
            }
        }
    }
}
