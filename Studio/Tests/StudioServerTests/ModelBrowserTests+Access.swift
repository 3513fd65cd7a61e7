import Foundation
@_spi(Studio) import ModelAuthoring
import Testing

@_spi(Studio) @testable import StudioServer

/// The model's page by keys alone, for screen readers, and without scripts.
extension ModelBrowserTests {
    private func heading(_ browser: Browser) async throws -> String {
        try await browser.value("document.querySelector('#panel h2')?.innerText")
    }

    /// Presses a key until the focus is where an expression says.
    private func press(_ key: String, until expression: String, _ browser: Browser, atMost count: Int = 80) async throws
    {
        for _ in 0..<count {
            if try await browser.value(expression) == "true" { return }
            try await browser.press(key)
        }
        Issue.record("The focus never came to \(expression).")
    }

    @Test("A model is edited with keys alone")
    func keysAlone() async throws {
        try await editing { browser, bench async throws in
            // The search leads to a panel.
            try await browser.press("/")
            try await browser.wait("document.activeElement.id === 'model-search'")
            try await browser.press("Tag" + BrowserTests.enter)
            try await browser.wait(
                "document.activeElement.tagName === 'H2' && document.activeElement.innerText === 'Tag'")
            try await press(
                BrowserTests.tab, until: "document.activeElement.innerText === 'New attribute'", browser)
            try await browser.press(BrowserTests.enter)
            try await press(
                BrowserTests.tab, until: "document.activeElement.id === 'new-attribute-name'", browser)
            try await browser.press("color" + BrowserTests.tab + "Bool")
            #expect(try await browser.value("document.activeElement.value") == "Boolean")
            try await press(
                BrowserTests.tab, until: "document.activeElement.innerText === 'Add'", browser)
            try await browser.press(BrowserTests.enter)
            // One goes on with the next attribute where one is.
            try await browser.wait(
                "!!\(Browser.script("//summary[b='color']")) && document.activeElement.id === 'new-attribute-name'")
            #expect(try bench.contents().contains("<attribute name=\"color\" attributeType=\"Boolean\"/>"))
            try await browser.press("size" + BrowserTests.enter)
            try await browser.wait(
                "!!\(Browser.script("//summary[b='size']")) && document.activeElement.id === 'new-attribute-name'")
            // Out of the field, undo and redo.
            try await browser.press(BrowserTests.escape)
            try await browser.wait("document.activeElement.tagName === 'H2'")
            try await browser.press("z", holding: BrowserTests.control)
            try await browser.wait("!\(Browser.script("//summary[b='size']"))")
            try await browser.press("y", holding: BrowserTests.control)
            try await browser.wait("!!\(Browser.script("//summary[b='size']"))")
            // The focus stays in the panel. Back to the box, which Enter opens again.
            #expect(try await browser.value("document.activeElement.innerText") == "Tag")
            try await browser.press(BrowserTests.escape)
            try await browser.wait("document.activeElement.dataset.box === 'Tag'")
            #expect(try await browser.value("document.querySelector('#panel h2') === null") == "true")
            try await browser.press(BrowserTests.enter)
            try await browser.wait(
                "document.activeElement.tagName === 'H2' && document.activeElement.innerText === 'Tag'")
            // A new entity
            try await browser.press("e")
            try await browser.wait("document.activeElement.id === 'new-entity-name'")
            try await browser.press("Place" + BrowserTests.enter)
            try await browser.wait("document.activeElement.id === 'new-attribute-name'")
            #expect(try await heading(browser) == "Place")
            // A relationship
            try await browser.press(BrowserTests.escape)
            try await press(
                BrowserTests.tab, until: "document.activeElement.innerText === 'New relationship'", browser)
            try await browser.press(BrowserTests.enter)
            try await press(
                BrowserTests.tab, until: "document.activeElement.id === 'new-relationship-name'", browser)
            try await browser.press("posts" + BrowserTests.tab + "Post" + BrowserTests.tab + "one-to-m")
            try await press(
                BrowserTests.tab, until: "document.activeElement.id === 'new-relationship-inverse'", browser)
            try await browser.press("place" + BrowserTests.enter)
            try await browser.wait("document.querySelectorAll('g.line').length === 2")
            #expect(try bench.contents().contains("name=\"place\" optional=\"YES\" maxCount=\"1\""))
        }
    }

    @Test("Screen readers get a name for each part of the page, and the state of what unfolds")
    func accessibilityTree() async throws {
        try await editing { browser, _ async throws in
            for path in ["/model", "/model?entity=Post&property=likes", "/model?entity=Author&destination=Post"] {
                try await browser.open(browser.value("location.origin") + path)
                let nameless = try await browser.namelessElements
                #expect(nameless.isEmpty, "\(path): \(nameless)")
            }
            let elements = try await browser.accessibleElements
            func names(_ role: String) -> [String] { elements.filter { $0.role == role }.map(\.name) }
            #expect(names("region").contains("Diagram of the model"))
            #expect(names("complementary") == ["Author"])
            #expect(names("navigation") == ["Pages"])
            #expect(names("heading").starts(with: ["Feed", "Author", "Attributes"]))
            // A box is read out with its name first.
            #expect(names("link").contains { $0.hasPrefix("Post") } && names("link").contains { $0.hasPrefix("Tag") })
            #expect(elements.contains { $0.role == "textbox" && $0.name == "Name" })
            #expect(elements.contains { $0.properties["expanded"] == "true" })
            #expect(elements.contains { $0.properties["expanded"] == "false" })
            // A wrong value is said to be one, with its reason.
            try await browser.clear("//*[@id='new-relationship-name']")
            try await browser.type("1x", into: "//*[@id='new-relationship-name']")
            try await browser.click("//details[summary='New relationship']//button[.='Add']")
            try await browser.wait("!!document.querySelector('#panel [role=alert]')")
            #expect(try await browser.accessibleElements.contains { $0.role == "alert" })
        }
    }

    @Test("Without scripts, a model is made, edited, arranged and undone")
    func withoutScript() async throws {
        try await editing(nil, hasScript: false) { browser, bench async throws in
            try await browser.answered { try await browser.click("//button[.='Create Feed']") }
            for name in ["Author", "Post"] {
                try await browser.answered { try await browser.click("//a[.='New entity']") }
                try await browser.answered {
                    try await browser.type(name + BrowserTests.enter, into: "//*[@id='new-entity-name']")
                }
                #expect(try await heading(browser) == name)
                // The form for attributes is open, and stays so.
                for attribute in ["name", "note"] {
                    try await browser.answered {
                        try await browser.type(attribute + BrowserTests.enter, into: "//*[@id='new-attribute-name']")
                    }
                }
            }
            try await browser.click("//summary[.='New relationship']")
            try await browser.type("author", into: "//*[@id='new-relationship-name']")
            try await browser.answered {
                try await browser.type("posts" + BrowserTests.enter, into: "//*[@id='new-relationship-inverse']")
            }
            #expect(try await browser.value("document.querySelectorAll('g.line').length") == "1")
            try await browser.click("//summary[.='Position in the diagram']")
            for (name, place) in [("x", "300"), ("y", "20")] {
                try await browser.clear("//*[@id='new-position-\(name)']")
                try await browser.type(place, into: "//*[@id='new-position-\(name)']")
            }
            try await browser.answered { try await browser.click("//button[.='Move']") }
            #expect(bench.places.contains("300 20 Post\n"))
            try await browser.click("//summary[b='note']")
            try await browser.click("//details[summary/b='note']//*[@name='field.optional']")
            try await browser.answered { try await browser.click("//details[summary/b='note']//button[.='Save']") }
            #expect(try bench.contents().contains("name=\"note\" optional=\"YES\""))
            try await browser.answered {
                try await browser.type("not" + BrowserTests.enter, into: "//*[@id='model-search']")
            }
            #expect(try await browser.value("document.querySelectorAll('a.found').length") == "2")
            try await browser.answered { try await browser.click("//*[@id='found']/a[.='Author']") }
            #expect(try await heading(browser) == "Author")
            try await browser.click("//summary[b='note']")
            try await browser.answered { try await browser.click("//button[@aria-label='Remove Author.note']") }
            try await browser.answered { try await browser.click("//button[starts-with(.,'Undo')]") }
            #expect(try bench.contents().components(separatedBy: "name=\"note\"").count == 3)
            try await browser.answered { try await browser.click("//a[.='Close']") }
            try await browser.answered { try await browser.click("//button[.='New version']") }
            try await browser.answered { try await browser.click("//a[.='Changes']") }
            #expect(try await browser.value("document.querySelector('main').innerText").contains("Nothing differs."))
            #expect(try await browser.path.hasPrefix("/model-review"))
        }
    }
}
