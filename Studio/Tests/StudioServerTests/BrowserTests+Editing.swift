import Ashlar
import Foundation
@_spi(Studio) import StoreBrowsing
import Testing

@_spi(Studio) @testable import StudioServer

/// The form of an object.
extension BrowserTests {
    private func open(_ browser: Browser, _ gallery: Gallery, _ path: String) async throws {
        try await browser.open("http://127.0.0.1:\(gallery.port)" + path)
    }

    private func replace(_ name: String, _ text: String, _ browser: Browser) async throws {
        try await browser.clear("//*[@name='\(name)']")
        try await browser.type(text, into: "//*[@name='\(name)']")
    }

    /// The text beside a field.
    private func message(_ property: String, _ browser: Browser) async throws -> String {
        try await browser.value("document.getElementById('message-\(property)')?.innerText ?? ''")
    }

    private static let save = "(//button[.='Save'])[1]"
    private static let isLoaded = "document.readyState === 'complete' && !!document.querySelector('main')"

    @Test("Each type of attribute has a field of its own")
    func fieldTypes() async throws {
        try await looking(isWritable: true) { browser, gallery async throws in
            try await open(browser, gallery, "/object?entity=Picture&id=2")
            func control(_ name: String) async throws -> String {
                try await browser.value(
                    "(e => [e.tagName, e.type, e.inputMode].join(' '))(document.querySelector('[name=\"value.\(name)\"]'))"
                )
            }
            #expect(try await control("painted") == "INPUT datetime-local ")
            #expect(try await control("year") == "INPUT text numeric")
            #expect(try await control("price") == "INPUT text decimal")
            #expect(try await control("isSold") == "SELECT select-one ")
            #expect(try await control("style") == "SELECT select-one ")
            #expect(try await control("title") == "TEXTAREA textarea ")
            #expect(
                try await browser.value(
                    "[...document.querySelectorAll('[name=\"value.style\"] option')].map(e => e.value).join()")
                    == "oil,pastel,ink")
            #expect(
                try await browser.value("document.querySelector('[name=\"value.painted\"]').value")
                    == "2023-03-08T20:26:40.645")

            try await replace("value.year", "1950", browser)
            try await replace("value.price", "12.50", browser)
            try await replace("value.key", "6ba7b810-9dad-11d1-80b4-00c04fd430c8", browser)
            try await browser.click("//*[@name='value.isSold']/option[.='true']")
            try await browser.click("//*[@name='value.style']/option[.='pastel']")
            let before = try gallery.transactionCount
            try await browser.click(Self.save)
            try await browser.wait("document.querySelector('.notice')?.innerText === 'Saved.'")
            #expect(try gallery.transactionCount == before + 1)
            #expect(
                try gallery.value(
                    "SELECT year || ' ' || price || ' ' || hex(key) || ' ' || isSold || ' ' || style FROM Picture WHERE id$ = 2"
                )
                    == "1950 12.5 6BA7B8109DAD11D180B400C04FD430C8 1 pastel")
            // The date was not touched, and keeps its finer parts.
            #expect(
                try gallery.value("SELECT painted = 700000000.6458288 FROM Picture WHERE id$ = 2") == "1")

            // A raw value that no object has is written beside the choice.
            try await browser.click("//summary[.='Another value']")
            try await browser.type("ink", into: "//*[@name='other.style']")
            // The fields of a date are month, day, year, hour, minute, second and the half of the day.
            _ = try await browser.value("document.querySelector('[name=\"value.painted\"]').focus()")
            try await browser.press("02032021")
            try await browser.click(Self.save)
            try await browser.wait(
                "document.querySelector('[name=\"value.style\"]')?.value === 'ink' && !!document.querySelector('.notice')"
            )
            #expect(try gallery.value("SELECT style FROM Picture WHERE id$ = 2") == "ink")
            #expect(
                try gallery.value(
                    "SELECT strftime('%Y-%m-%d %H:%M', painted + 978307200, 'unixepoch') FROM Picture WHERE id$ = 2")
                    == "2021-02-03 20:26")
        }
    }

    @Test("A wrong value stays in its field, with the expected values beside it, and nothing is saved")
    func wrongValues() async throws {
        try await looking(isWritable: true) { browser, gallery async throws in
            try await open(browser, gallery, "/object?entity=Picture&id=2")
            try await replace("value.title", "New title", browser)
            try await replace("value.year", "19x", browser)
            try await replace("value.price", "1,5", browser)
            try await replace("value.key", "1", browser)
            let before = try gallery.transactionCount
            try await browser.click(Self.save)
            try await browser.wait("document.querySelector('[role=alert]') !== null")
            #expect(try await message("year", browser).contains("'19x' is not valid. Write a whole number"))
            #expect(try await message("price", browser).contains("a decimal number such as 12.50"))
            #expect(try await message("key", browser).contains("a UUID such as"))
            let values = try await browser.value(
                "['title', 'year', 'price', 'key'].map(e => document.querySelector(`[name=\"value.${e}\"]`).value).join('|')"
            )
            #expect(values == "New title|19x|1,5|1")
            #expect(
                try await browser.value("document.querySelector('[name=\"value.year\"]').ariaInvalid") == "true")
            #expect(try gallery.transactionCount == before)

            // The model's rules are reported in the same place.
            try await replace("value.year", "4000", browser)
            for name in ["price", "key"] { try await browser.clear("//*[@name='value.\(name)']") }
            try await browser.click(Self.save)
            try await browser.wait("document.getElementById('message-year')?.innerText.includes('4000') ?? false")
            #expect(try gallery.transactionCount == before)
            try await replace("value.year", "2000", browser)
            try await browser.click(Self.save)
            try await browser.wait("document.querySelector('.notice')?.innerText === 'Saved.'")
            #expect(try gallery.value("SELECT title || year FROM Picture WHERE id$ = 2") == "New title2000")
            // The browser reports that an answer is an error.
            #expect(try await browser.console.allSatisfy { $0.contains("409") })
        }
    }

    @Test("Another program's values and the typed ones are both kept")
    func mergedChanges() async throws {
        try await looking(isWritable: true) { browser, gallery async throws in
            try await open(browser, gallery, "/object?entity=Picture&id=2")
            try await replace("value.title", "Typed", browser)
            try gallery.changing { context in
                let picture = try #require(try context.fetch(Picture.where { $0.title == "Picture 1" }).first)
                picture.year = 1999
            }
            try await browser.click(Self.save)
            try await browser.wait("document.querySelector('[role=alert]') !== null")
            #expect(
                try await browser.value("document.querySelector('[role=alert]').innerText")
                    .contains("Another program changed Picture 2"))
            #expect(try await browser.value("document.querySelector('[name=\"value.year\"]').value") == "1999")
            #expect(try await browser.value("document.querySelector('[name=\"value.title\"]').value") == "Typed")
            try await browser.click(Self.save)
            try await browser.wait("document.querySelector('.notice')?.innerText === 'Saved.'")
            #expect(try gallery.value("SELECT title || year FROM Picture WHERE id$ = 2") == "Typed1999")
            #expect(try await browser.console.allSatisfy { $0.contains("409") })
        }
    }

    @Test("Related objects are searched by their titles, and one Save saves all")
    func relationships() async throws {
        try await looking(isWritable: true) { browser, gallery async throws in
            try gallery.changing { $0.insert(Painter(name: "Cleopatra")) }
            try await open(browser, gallery, "/object?entity=Picture&id=3")
            #expect(
                try await browser.value(
                    "document.querySelector('[name=\"value.painter\"]').selectedOptions[0].text") == "Ada (1)")
            // `ashlar.title` of Room names its code, not its caption.
            #expect(
                try await browser.value("document.querySelector('[data-members=rooms]').innerText.trim()")
                    .hasPrefix("R-1 (1)"))
            try await browser.type("cleo", into: "//*[@name='find.painter']")
            try await browser.wait("document.querySelector('#choices-painter li')?.innerText === 'Cleopatra (3)'")
            try await browser.press(Self.down + Self.enter)
            try await browser.type("r-3", into: "//*[@name='find.rooms']")
            try await browser.wait("document.querySelector('#choices-rooms li')?.innerText === 'R-3 (3)'")
            try await browser.press(Self.down + Self.enter)
            try await browser.click("//*[@name='member.rooms.1']")
            try await replace("value.title", "Moved", browser)
            let before = try gallery.transactionCount
            try await browser.click(Self.save)
            try await browser.wait("document.querySelector('.notice')?.innerText === 'Saved.'")
            #expect(try gallery.transactionCount == before + 1)
            let object = try gallery.studio.browser.object("Picture", 3)
            #expect(object.label == "Moved")
            #expect(object.relationships.first { $0.name == "painter" }?.objects.map(\.text) == ["Cleopatra"])
            #expect(object.relationships.first { $0.name == "rooms" }?.objects.map(\.text) == ["R-3"])
        }
    }

    @Test("An object is made with its relationships in one form")
    func making() async throws {
        try await looking(isWritable: true) { browser, gallery async throws in
            try await browser.click("//tbody//a[.='Painter']")
            try await browser.click("//a[.='New Painter']")
            try await browser.clear("//*[@name='value.name']")
            try await browser.click("(//button[.='Insert'])[1]")
            try await browser.wait("!!document.getElementById('message-name')")
            try await browser.type("Cleo", into: "//*[@name='value.name']")
            for number in [5, 6] {
                try await browser.type("Picture \(number)", into: "//*[@name='find.pictures']")
                try await browser.wait(
                    "[...document.querySelectorAll('#choices-pictures li')].some(e => e.innerText === 'Picture \(number) (\(number + 1))')"
                )
                try await browser.press(Self.down + Self.enter)
            }
            try await browser.click("(//button[.='Insert'])[1]")
            try await browser.wait("location.search === '?entity=Painter&id=3'")
            let object = try gallery.studio.browser.object("Painter", 3)
            #expect(object.label == "Cleo" && object.relationships.first?.objects.map(\.number) == [6, 7])
            #expect(try await browser.console.allSatisfy { $0.contains("409") })
        }
    }

    @Test("A deletion lists the objects that go along, and asks; its undo works in a store without a history")
    func deletion() async throws {
        try await looking(isWritable: true, hasHistory: false) { browser, gallery async throws in
            try await open(browser, gallery, "/object?entity=Picture&id=2")
            try await browser.click("//a[.='Delete this object…']")
            let text = try await browser.value("document.querySelector('main').innerText")
            #expect(text.contains("Delete this object of Picture?") && text.contains("Deleted too"))
            #expect(text.contains("1 of Frame") && text.contains("wood 1 (2)"))
            try await browser.click("//a[.='Cancel']")
            #expect(try await browser.path == "/object?entity=Picture&id=2")
            #expect(try gallery.value("SELECT count(*) FROM Frame") == "120")
            try await browser.click("//a[.='Delete this object…']")
            try await browser.click("//button[.='Delete']")
            try await browser.wait("document.querySelector('.notice')?.innerText === 'Deleted 1 object of Picture.'")
            #expect(try gallery.value("SELECT count(*) FROM Frame") == "119")
            #expect(
                try await browser.value("document.querySelector('.undo button').innerText")
                    == "Undo: deletion of Picture 2")
            try await browser.click("//button[starts-with(., 'Undo')]")
            try await browser.wait("document.querySelector('.notice')?.innerText === 'Undone: deletion of Picture 2.'")
            #expect(try await browser.path == "/rows?entity=Picture")
            #expect(try gallery.value("SELECT count(*) FROM Frame") == "120")
            try await browser.click("//button[starts-with(., 'Redo')]")
            try await browser.wait("document.querySelector('.notice')?.innerText === 'Redone: deletion of Picture 2.'")
            #expect(try gallery.value("SELECT count(*) FROM Frame") == "119")
        }
    }
}
