import Testing

@testable import StudioServer

/// Text in pages and addresses.
@Suite struct HTMLTextTests {
    private static let scalars = ([0...0xD7FF, 0xE000...0x1FFFF, 0xE0000...0xE01FF] as [ClosedRange<UInt32>]).joined()
        .compactMap(Unicode.Scalar.init)

    @Test("no letter that combines with a mark of the language hides it")
    func marks() {
        // One expectation of all: the servers of other tests need the threads.
        let marks = Set("<>\"'".unicodeScalars)
        let found = Self.scalars.filter { scalar in
            ["<\(scalar)script\(scalar)>", "\"\(scalar)'\(scalar)&\(scalar)"].contains { text in
                [HTMLText.shown(text), HTMLText.value(text)].contains {
                    $0.unicodeScalars.contains(where: marks.contains)
                }
            }
        }
        #expect(found == [])
    }

    @Test("what cannot be seen, or turns the direction, is shown as a sign")
    func signs() {
        #expect(HTMLText.shown("a\u{0}\u{1B}\u{7F}b") == "a␀␛␡b")
        #expect(HTMLText.shown("\u{202E}x\u{85}") == "⟨U+202E⟩x⟨U+85⟩")
        #expect(HTMLText.shown("a\n\tb é 👩‍👩‍👧") == "a\n\tb é 👩‍👩‍👧")
    }

    @Test("parameters come back as they went")
    func parameters() {
        let found = Self.scalars.filter { scalar in
            let text = "a&\(scalar)=+%\(scalar)"
            let address = Address("/rows", [("filter", text), ("x", "1")]).text
            return !address.utf8.allSatisfy { (0x21...0x7E).contains($0) }
                || Parameters(address.dropFirst(6))?["filter"] != text
        }
        #expect(found == [])
    }

    @Test(
        "what is not well formed is no parameter",
        arguments: ["a=%", "a=%1", "a=%zz", "a=%FF", "a=1&a=2", "a=%C0%80", "%ED%A0%80"])
    func badParameters(_ text: String) { #expect(Parameters(text) == nil) }

    @Test("a secret is matched by itself alone")
    func token() {
        let token = AccessToken()
        #expect(token.text.utf8.count == 64 && token.matches(token.text) && AccessToken().text != token.text)
        for other in ["", token.text + "0", String(token.text.dropFirst()), String(token.text.reversed())]
        where other != token.text { #expect(!token.matches(other)) }
    }
}
