import Foundation
@_spi(Studio) import ModelAuthoring
import Testing

@_spi(Studio) @testable import StudioServer

/// The work of a new user, and the speed of a large model.
extension ModelBrowserTests {
    /// A shop of ten entities: the attributes with their types, and the relationships to one, whose inverses lead to many.
    private static let shop: [(name: String, attributes: [(String, String)], references: [String])] = [
        ("Address", [("street", "String"), ("city", "String")], []),
        ("Category", [("title", "String")], []),
        ("Customer", [("name", "String"), ("email", "String"), ("born", "Date")], ["Address"]),
        ("Supplier", [("name", "String"), ("phone", "String")], ["Address"]),
        ("Product", [("title", "String"), ("price", "Decimal"), ("weight", "Double")], ["Category", "Supplier"]),
        ("Purchase", [("placed", "Date"), ("isPaid", "Boolean")], ["Customer"]),
        ("Line", [("count", "Integer 32"), ("price", "Decimal")], ["Purchase", "Product"]),
        ("Payment", [("amount", "Decimal"), ("received", "Date")], ["Purchase"]),
        ("Review", [("text", "String"), ("stars", "Integer 16")], ["Customer", "Product"]),
        ("Shipment", [("code", "String"), ("sent", "Date")], ["Purchase"]),
    ]

    /// The model as a person writes it.
    private static var shopText: String {
        var entities: [String] = []
        for (name, attributes, references) in shop.sorted(by: { $0.name < $1.name }) {
            var lines = attributes.sorted { $0.0 < $1.0 }.map {
                "        <attribute name=\"\($0.0)\" attributeType=\"\($0.1)\"/>"
            }
            func lower(_ name: String) -> String { name.prefix(1).lowercased() + name.dropFirst() }
            var relationships = references.map { other in
                (
                    lower(other),
                    "        <relationship name=\"\(lower(other))\" optional=\"YES\" maxCount=\"1\" deletionRule=\"Nullify\" "
                        + "destinationEntity=\"\(other)\" inverseName=\"\(lower(name))s\" inverseEntity=\"\(other)\"/>"
                )
            }
            relationships += shop.filter { $0.references.contains(name) }.map { other in
                (
                    lower(other.name) + "s",
                    "        <relationship name=\"\(lower(other.name))s\" optional=\"YES\" toMany=\"YES\" "
                        + "deletionRule=\"Nullify\" destinationEntity=\"\(other.name)\" inverseName=\"\(lower(name))\" "
                        + "inverseEntity=\"\(other.name)\"/>"
                )
            }
            lines += relationships.sorted { $0.0 < $1.0 }.map(\.1)
            entities.append("    <entity name=\"\(name)\">\n\(lines.joined(separator: "\n"))\n    </entity>\n")
        }
        return """
            <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            \(entities.joined())</model>

            """
    }

    @Test("Ten entities with their relationships take a new user a small part of the work of their XML")
    func tenEntities() async throws {
        try await editing(nil) { browser, bench async throws in
            try await browser.click("//button[.='Create Feed']")
            try await browser.wait("!!document.querySelector('#canvas')")
            for (name, attributes, _) in Self.shop {
                try await browser.click("//a[.='New entity']")
                try await browser.wait("document.activeElement.id === 'new-entity-name'")
                try await browser.press(name + BrowserTests.enter)
                try await browser.wait(
                    "document.querySelector('#panel h2')?.innerText === '\(name)' && document.activeElement.id === 'new-attribute-name'"
                )
                for (attribute, type) in attributes {
                    try await browser.press(attribute)
                    if type != "String" {
                        try await browser.click("//*[@id='new-attribute-type']/option[@value='\(type)']")
                        try await browser.click("//details[summary='New attribute']//button[.='Add']")
                    } else {
                        try await browser.press(BrowserTests.enter)
                    }
                    try await browser.wait(
                        "!!\(Browser.script("//details[summary/b='\(attribute)']")) && document.activeElement.id === 'new-attribute-name'"
                    )
                }
            }
            var count = 0
            for (name, _, references) in Self.shop {
                for other in references {
                    try await browser.click("//button[@aria-label='Fit the diagram']")
                    // The names that are proposed are the wanted ones.
                    try await browser.drag(
                        box(name) + "//*[name()='circle'][contains(@class,'handle')]", to: [(5, 5), (0, 0)],
                        of: box(other))
                    try await browser.wait("document.activeElement.id === 'new-relationship-name'")
                    #expect(
                        try await browser.value("document.querySelector('#new-relationship-destination').value")
                            == other)
                    try await browser.press(BrowserTests.enter)
                    count += 1
                    try await browser.wait("document.querySelectorAll('g.line').length === \(count)")
                }
            }
            let text = Self.shopText
            #expect(try bench.contents() == ModelDesk.formatted(text))
            #expect(try ModelDesk.formatted(bench.contents()) == bench.contents())
            let effort = browser.effort
            // The keystroke-level model: a key 0.2 s, pointing 1.1 s, a button 0.2 s, both ends of a drag are pointed at, and
            // the hand goes to the mouse and back in 0.8 s.
            let seconds =
                Double(effort.keys) * 0.2 + Double(effort.clicks) * 1.3 + Double(effort.drags) * 2.4
                + Double(effort.clicks + effort.drags) * 0.8
            print(
                "Ten entities: \(effort.clicks) clicks, \(effort.drags) drags and \(effort.keys) keys, \(Int(seconds)) s; "
                    + "their XML has \(text.count) characters, \(Int(Double(text.count) * 0.2)) s")
            #expect(effort.clicks + effort.drags + effort.keys < text.count / 8)
        }
    }

    /// The model of the corpus with the most entities; nil where the corpus is missing.
    private static let largestModel: String? = {
        let corpus = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "../../../../shared/corpus/models")
        let model =
            ProcessInfo.processInfo.environment["ASHLAR_LARGEST_MODEL"].map { URL(fileURLWithPath: $0) }
            ?? corpus.appendingPathComponent(
                "woocommerce+woocommerce-ios/Storage/Storage/Model/WooCommerce.xcdatamodeld/Model 117.xcdatamodel/contents"
            )
        return try? String(contentsOf: model, encoding: .utf8)
    }()

    /// Counts are printed. Where `ASHLAR_STUDIO_SPEED` is set, which a busy machine must not, they have bounds.
    @Test(
        "The largest model of the corpus opens, and a box of it is dragged without a pause",
        .enabled(
            if: largestModel != nil, "Scripts/corpus-fetch fetches the corpus, or ASHLAR_LARGEST_MODEL names a model"))
    func largest() async throws {
        try await editing(Self.largestModel, isTraced: true) { browser, bench async throws in
            try await browser.open("http://127.0.0.1:\(bench.port)/model")
            let count = Int(try await browser.value("document.querySelectorAll('a[data-box]').length")) ?? 0
            #expect(count > 40)
            let opened =
                Double(
                    try await browser.value("performance.getEntriesByType('navigation')[0].loadEventEnd")) ?? .infinity
            // A box with many lines that can be moved within the window.
            let first = try await browser.value(
                """
                (() => {
                  const boxes = [...document.querySelectorAll('a[data-box]')].filter(box => box.getBoundingClientRect().height < 350);
                  const lines = box => document.querySelectorAll(`g.line[data-from="${box.dataset.box}"], g.line[data-to="${box.dataset.box}"]`).length;
                  const box = boxes.sort((a, b) => lines(b) - lines(a))[0], canvas = document.querySelector('#canvas');
                  canvas.scrollLeft += box.getBoundingClientRect().left - 100;
                  canvas.scrollTop += box.getBoundingClientRect().top - 200;
                  return box.dataset.box;
                })()
                """)
            let steps = (1...200).map { (x: $0, y: $0) }
            // Each move is sent as soon as the browser has taken the last one: a pause between them would skip frames.
            try await browser.drag(box(first), from: (0, 0), to: steps, milliseconds: 0)
            let frames = try #require(DrawnFrames(try await browser.trace(until: "pointerup")))
            print(
                "The largest model, \(count) boxes: loaded after \(Int(opened)) ms; dragging drew \(frames.count) frames in "
                    + "\(Int(frames.seconds * 1000)) ms, \(Int(frames.perSecond)) a second, the longest gap \(Int(frames.longestGap * 1000)) ms"
            )
            #expect(frames.count > 10)
            if ProcessInfo.processInfo.environment["ASHLAR_STUDIO_SPEED"] != nil {
                #expect(opened < 1000)
                #expect(frames.perSecond >= 30)
            }
            try await browser.wait("!!document.querySelector('.undo button:enabled')")
            #expect(bench.places.contains(" \(first)\n"))
        }
    }
}
