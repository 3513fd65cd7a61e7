import Foundation
@_spi(Studio) import ModelAuthoring
import Testing

@_spi(Studio) @testable import StudioServer

/// The parts of the panel.
extension ModelBrowserTests {
    private func choose(_ name: String, _ browser: Browser) async throws {
        try await browser.answered { try await browser.click(box(name)) }
        try await browser.wait("document.querySelector('#panel h2')?.innerText === '\(name)'")
    }

    /// Gives a field of a part another value, and saves.
    private func save(
        _ part: String, _ fields: [(String, String)], _ browser: Browser
    ) async throws {
        let form = "//details[summary/b='\(part)']"
        try await browser.wait("!!\(Browser.script(form))")
        if try await browser.value("\(Browser.script(form)).open") == "false" {
            try await browser.click(form + "/summary")
        }
        for (name, value) in fields {
            let field = form + "//*[@name='field.\(name)']"
            if try await browser.value("\(Browser.script(field)).tagName") == "SELECT" {
                try await browser.click(field + "/option[@value='\(value)']")
            } else {
                try await browser.clear(field)
                try await browser.type(value, into: field)
            }
        }
        try await browser.answered { try await browser.click(form + "//button[.='Save']") }
    }

    private func waitForText(_ text: String, _ bench: ModelBench) async throws {
        for _ in 0..<200 {
            if try bench.contents().contains(text) { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        Issue.record("The model never had \(text):\n\(try bench.contents())")
    }

    @Test(
        "Indexes with expressions, constraints, fetch requests and fetched properties are made and changed in the panel"
    )
    func requestsAndIndexes() async throws {
        try await editing { browser, bench async throws in
            try await choose("Post", browser)
            try await add(
                browser, "New index", [("elements", "lowercase:(title), likes:descending")])
            try await waitForText("<fetchIndex name=\"byLowercaseTitleLikes\">", bench)
            #expect(
                try bench.contents().contains(
                    "<fetchIndexElement expression=\"lowercase:(title)\" expressionType=\"String\" type=\"Binary\" order=\"ascending\"/>"
                ))
            let index = "//details[summary/b='byLowercaseTitleLikes']//*[@name='field.elements']"
            try await browser.wait(
                "\(Browser.script(index))?.value === 'lowercase:(title), likes:descending'")
            try await save(
                "byLowercaseTitleLikes", [("elements", "uppercase:(title):descending, likes:descending")], browser)
            try await waitForText("expression=\"uppercase:(title)\" expressionType=\"String\"", bench)
            #expect(!(try bench.contents().contains("lowercase:")))
            // A wrong expression stays in its field, with the reason beside it.
            try await save("byLowercaseTitleLikes", [("elements", "uppercase:(nothing)")], browser)
            try await browser.wait(
                "document.querySelector('#panel [aria-invalid=true]')?.value === 'uppercase:(nothing)'")
            #expect(
                try await browser.value("document.querySelector('#panel .error').innerText").contains("nothing"))
            #expect(try await browser.value("document.activeElement.name") == "field.elements")

            try await choose("Tag", browser)
            try await choose("Post", browser)
            try await add(browser, "New constraint", [("elements", "title, likes")])
            try await waitForText("<constraint value=\"likes\"/>", bench)
            try await add(
                browser, "New fetch request", [("name", "popular"), ("predicate", "likes > $MINIMUM")])
            try await browser.wait(
                "\(Browser.script("//details[summary/b='popular']//pre"))?.textContent.includes('likes') ?? false")
            try await add(
                browser, "New fetched property",
                [("name", "siblings"), ("fetched", "Post"), ("predicate", "author == $FETCH_SOURCE.author")])
            try await waitForText("<fetchedProperty name=\"siblings\" optional=\"YES\">", bench)
            #expect(
                try bench.contents().contains(
                    "<fetchRequest name=\"fetchedPropertyFetchRequest\" entity=\"Post\" predicateString=\"author == $FETCH_SOURCE.author\"/>"
                ))
            // It has its SQL beside it.
            try await browser.wait(
                "\(Browser.script("//details[summary/b='siblings']//pre"))?.textContent.includes('SELECT') ?? false")
            try await save(
                "siblings", [("destination", "Tag"), ("predicateString", "word != nil"), ("fetchLimit", "5")], browser)
            try await waitForText("entity=\"Tag\" predicateString=\"word != nil\" fetchLimit=\"5\"", bench)
            try await save("siblings", [("name", "tags")], browser)
            try await waitForText("<fetchedProperty name=\"tags\"", bench)
            try await browser.click("//button[@aria-label='Remove Post.tags']")
            try await browser.wait("!\(Browser.script("//summary[b='tags']"))")
            #expect(!(try bench.contents().contains("fetchedProperty")))
        }
    }

    @Test("The settings of attributes, composites, configurations and userInfo are edited in the panel")
    func settings() async throws {
        try await editing { browser, bench async throws in
            try await choose("Post", browser)
            try await save("likes", [("minimum", "0"), ("maximum", "1000")], browser)
            try await waitForText("minValueString=\"0\" maxValueString=\"1000\"", bench)
            try await add(browser, "New attribute", [("name", "image"), ("type", "Binary")])
            try await waitForText("name=\"image\"", bench)
            try await browser.click("//summary[b='image']")
            try await browser.click("//details[summary/b='image']//*[@name='field.allowsExternalBinaryDataStorage']")
            try await browser.answered { try await browser.click("//details[summary/b='image']//button[.='Save']") }
            try await waitForText("allowsExternalBinaryDataStorage=\"YES\"", bench)
            try await add(browser, "New attribute", [("name", "style"), ("type", "Transformable")])
            try await save("style", [("valueTransformerName", "NSSecureUnarchiveFromDataTransformer")], browser)
            try await waitForText("valueTransformerName=\"NSSecureUnarchiveFromDataTransformer\"", bench)
            try await choose("Author", browser)
            try await add(browser, "New attribute", [("name", "count"), ("type", "Integer 64"), ("optional", "YES")])
            try await save("count", [("derivationExpression", "posts.@count")], browser)
            try await waitForText("derivationExpression=\"posts.@count\"", bench)
            try await save("posts", [("deletionRule", "Nullify"), ("maxCount", "9")], browser)
            try await waitForText("maxCount=\"9\" toMany=\"YES\" deletionRule=\"Nullify\"", bench)

            // The userInfo of an entity, then that of the model.
            let userInfo = "//details[starts-with(summary,'userInfo')]"
            try await browser.click("(\(userInfo))[last()]/summary")
            try await browser.type("ashlar.title", into: "(\(userInfo))[last()]//*[@name='new-key']")
            try await browser.answered {
                try await browser.type("name" + BrowserTests.enter, into: "(\(userInfo))[last()]//*[@name='new-value']")
            }
            try await waitForText("<entry key=\"ashlar.title\" value=\"name\"/>", bench)
            try await browser.answered { try await browser.click("//a[.='Close']") }
            try await browser.wait("!!\(Browser.script("//summary[.='New composite']"))")
            try await browser.click("\(userInfo)/summary")
            try await browser.type("owner", into: "\(userInfo)//*[@name='new-key']")
            try await browser.answered {
                try await browser.type("Ada" + BrowserTests.enter, into: "\(userInfo)//*[@name='new-value']")
            }
            try await waitForText("    <userInfo>\n        <entry key=\"owner\" value=\"Ada\"/>", bench)
            try await browser.wait(
                "document.querySelector('.undo button').innerText === 'Undo: Change the userInfo of the model'")
            try await browser.wait("\(Browser.script("\(userInfo)//*[@name='entry.owner']"))?.value === 'Ada'")
            try await browser.clear("\(userInfo)//*[@name='entry.owner']")
            try await browser.answered { try await browser.click("\(userInfo)//button") }
            try await browser.wait("!\(Browser.script("\(userInfo)//*[@name='entry.owner']"))")
            #expect(!(try bench.contents().contains("owner")))

            try await browser.click("//summary[.='New configuration']")
            try await browser.type("Cloud", into: "//*[@id='new-configuration-name']")
            let members = "//details[summary='New configuration']"
            for name in ["Author", "Post"] { try await browser.click(members + "//*[@name='member.\(name)']") }
            try await browser.answered { try await browser.click(members + "//button") }
            try await waitForText("<configuration name=\"Cloud\">", bench)
            try await add(
                browser, "New composite", [("name", "Place"), ("attribute", "city"), ("type", "String")])
            try await browser.wait("document.querySelector('#panel h2')?.innerText === 'Place'")
            #expect(try bench.contents().contains("<composite name=\"Place\">"))
        }
    }

    @Test("A fix of a finding is made from the panel beside its field, and all safe ones at once; both are undone")
    func fixes() async throws {
        let wrong = ModelBench.feed.replacingOccurrences(
            of: "name=\"likes\"", with: "name=\"likes\" valueTransformerName=\"T\""
        ).replacingOccurrences(of: "optional=\"YES\" maxCount", with: "optional=\"on\" maxCount")
        try await editing(wrong) { browser, bench async throws in
            try await choose("Post", browser)
            try await browser.click("//summary[b='likes']")
            // The button is beside the field that the finding is about.
            let button =
                "//div[contains(@class,'field')][.//*[@name='field.valueTransformerName']]//button[@class='fix']"
            #expect(try await browser.value("\(Browser.script(button)).innerText").contains("valueTransformerName"))
            // Enter in a field saves the form, and presses no button of a fix.
            try await browser.clear("//details[summary/b='likes']//*[@name='field.maximum']")
            try await browser.type(
                "9" + BrowserTests.enter, into: "//details[summary/b='likes']//*[@name='field.maximum']")
            try await waitForText("maxValueString=\"9\"", bench)
            #expect(try bench.contents().contains("valueTransformerName"))
            try await browser.wait("document.querySelector('.undo button').innerText === 'Undo: Change Post.likes'")
            try await browser.click(button)
            try await browser.wait("document.querySelector('#panel .notice')?.innerText.startsWith('Fixed: ') ?? false")
            #expect(
                try bench.contents()
                    == wrong.replacingOccurrences(of: " valueTransformerName=\"T\"", with: "").replacingOccurrences(
                        of: "defaultValueString=\"0\"", with: "maxValueString=\"9\" defaultValueString=\"0\""))
            try await browser.click("//button[starts-with(.,'Undo')]")
            try await browser.wait("document.querySelector('.undo button').innerText === 'Undo: Change Post.likes'")
            #expect(try bench.contents().contains("valueTransformerName"))
            try await browser.answered { try await browser.click("//a[.='Close']") }
            try await browser.wait("!!\(Browser.script("//button[starts-with(.,'Make all safe fixes')]"))")
            try await browser.click("//button[starts-with(.,'Make all safe fixes')]")
            try await browser.wait(
                "document.querySelector('#panel .notice')?.innerText.match(/^Made [0-9]+ safe fixes?\\.$/) != null")
            #expect(try bench.contents().contains("name=\"author\" optional=\"YES\""))
            #expect(!(try bench.contents().contains("valueTransformerName")))
            try await browser.answered { try await browser.click("//button[starts-with(.,'Undo')]") }
            #expect(try bench.contents().contains("optional=\"on\""))
        }
    }

    @Test("Lines of the places' file that are no places are reported, and go with the next move")
    func invalidPlaces() async throws {
        try await editing { browser, bench async throws in
            let file = bench.folder.appendingPathComponent("Feed.xcdatamodeld.diagram")
            try Data("# Places\n40 40 Author\nNaN 40 Post\n<<<<<<< ours\n40 900000 Tag\n".utf8).write(to: file)
            try await browser.wait("document.querySelectorAll('#panel .finding').length === 3")
            let text = try await browser.value("document.querySelector('#panel').innerText")
            #expect(text.contains("Line 3 of Feed.xcdatamodeld.diagram is not the place of a box: 'NaN 40 Post'."))
            #expect(text.contains("Line 4 ") && text.contains("Line 5 "))
            // The box is where it can be seen.
            #expect(Int(try await browser.value("\(Browser.script(box("Post"))).dataset.x")) ?? -1 >= 0)
            try await browser.drag(box("Author"), from: (0, -20), to: [(30, 30), (60, 60)])
            try await browser.wait("document.querySelectorAll('#panel .finding').length === 0")
            #expect(!bench.places.contains("NaN") && !bench.places.contains("<<<"))
            #expect(bench.places.split(separator: "\n").count == 4)
        }
    }

    @Test("The page follows the files of merged bundles, too")
    func mergedBundles() async throws {
        try await editing { browser, bench async throws in
            let other = bench.folder.appendingPathComponent("People.xcdatamodeld/People.xcdatamodel/contents")
            try FileManager.default.createDirectory(
                at: other.deletingLastPathComponent(), withIntermediateDirectories: true)
            func write(_ name: String) throws {
                let people = """
                    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
                    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
                        <entity name="\(name)"/>
                    </model>

                    """
                try Data(people.utf8).write(to: other)
            }
            try write("Guest")
            try Data(#"{"merges": {"People.xcdatamodeld": {"Feed": "People"}}}"#.utf8).write(
                to: bench.model.appendingPathComponent("ashlar.json"))
            try await browser.wait("!!document.querySelector('a[data-box=Guest]')")
            try write("Visitor")
            try await browser.wait("!!document.querySelector('a[data-box=Visitor]')")
            #expect(try await browser.value("document.querySelectorAll('a[data-box]').length") == "4")
        }
    }

    @Test("An edit that is under way is not reported as one of another program")
    func editUnderWay() async throws {
        try await editing { browser, bench async throws in
            // The test calls the page's timer, and holds the answers to its forms.
            try await browser.command(
                "Page.addScriptToEvaluateOnNewDocument",
                [
                    "source": """
                    {
                      window.setInterval = poll => { window.poll = poll; };
                      const send = window.fetch;
                      window.fetch = async (address, options) => {
                        const answer = await send(address, options);
                        if (options) await new Promise(release => { window.release = release; });
                        return answer;
                      };
                    }
                    """
                ])
            try await browser.open(browser.value("location.href"))
            try await choose("Tag", browser)
            try await browser.click("//summary[.='New attribute']")
            try await browser.type("color", into: "//*[@id='new-attribute-name']")
            try await browser.answered {
                try await browser.click("//details[summary='New attribute']//button[.='Add']")
                try await browser.wait("!!window.release")
                #expect(try bench.contents().contains("name=\"color\""))
                _ = try await browser.value("(window.poll().then(() => { window.isPolled = true }), '')")
                try await browser.wait("window.isPolled === true")
                #expect(try await browser.value("document.querySelector('#changed') === null") == "true")
                _ = try await browser.value("(window.release(), '')")
            }
            #expect(try await browser.value("document.querySelector('#new-attribute-name').value") == "")
            #expect(try await browser.value("!!\(Browser.script("//summary[b='color']"))") == "true")
        }
    }
}
