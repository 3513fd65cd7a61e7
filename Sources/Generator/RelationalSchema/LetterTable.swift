import DataModel
import Foundation
import StoreDescription

/// A table that maps each letter to its form in normalized strings.
///
/// SQLite's own functions convert ASCII letters only, and a function that a program defines would keep other programs
/// from writing. The triggers of any program can read a table. It has the letters that change; all others stay.
public struct LetterTable: Sendable, Hashable {
    public var folding: Derivation.Folding

    /// Makes the table of a form.
    public init(folding: Derivation.Folding) {
        self.folding = folding
    }

    public var name: String { "ashlar$\(folding.rawValue)" }

    /// The statement that creates the table.
    public var definition: String {
        """
        CREATE TABLE \(SQLText.identifier(name)) (
            "letter" TEXT PRIMARY KEY NOT NULL,
            "text" TEXT NOT NULL
        ) STRICT, WITHOUT ROWID
        """
    }

    /// The statement that fills the table.
    public var filling: String {
        switch folding {
        case .uppercase: Self.uppercaseFilling
        case .lowercase: Self.lowercaseFilling
        case .canonical: Self.canonicalFilling
        }
    }

    // Computing all letters takes longer than everything else for a small model, and the statements of a schema are
    // requested several times.
    private static let uppercaseFilling = LetterTable(folding: .uppercase).makeFilling()
    private static let lowercaseFilling = LetterTable(folding: .lowercase).makeFilling()
    private static let canonicalFilling = LetterTable(folding: .canonical).makeFilling()

    private func makeFilling() -> String {
        let pairs = folding.letters.map { "\"\($0.letter)\":\"\($0.text)\"" }.joined(separator: ",")
        return """
            INSERT INTO \(SQLText.identifier(name)) ("letter", "text")
            SELECT "key", "value" FROM json_each('{\(pairs)}')
            """
    }

    /// Returns the SQL that transforms a text; NULL stays NULL.
    ///
    /// A text of printable ASCII, as most are, is not split into letters. SQLite takes a NUL for the end of a text.
    func sql(_ text: String) -> String {
        let quick = folding == .uppercase ? "upper" : "lower"
        return """
            CASE WHEN \(text) IS NULL THEN NULL WHEN \(text) NOT GLOB '*[^ -~]*' THEN \(quick)(\(text)) ELSE \
            (SELECT group_concat(coalesce("letter$"."text", substr(\(text), "place$"."key" + 1, 1)), '') \
            FROM json_each('[' || rtrim(replace(hex(zeroblob(length(\(text)))), '00', '0,'), ',') || ']') AS "place$" \
            LEFT JOIN \(SQLText.identifier(name)) AS "letter$" \
            ON "letter$"."letter" = substr(\(text), "place$"."key" + 1, 1)) END
            """
    }
}

extension Derivation.Folding {
    /// The letters that folding changes, with their folded texts.
    package var letters: [(letter: String, text: String)] {
        CanonicalText.ranges.joined().lazy.compactMap { Unicode.Scalar($0) }.filter(CanonicalText.isLetter)
            .compactMap { scalar in
                let letter = String(scalar)
                let text = folded(scalar)
                return text.unicodeScalars.elementsEqual(letter.unicodeScalars) ? nil : (letter, text)
            }
    }

    private func folded(_ scalar: Unicode.Scalar) -> String {
        switch self {
        case .uppercase: scalar.properties.uppercaseMapping
        case .lowercase: scalar.properties.lowercaseMapping
        case .canonical: CanonicalText.folded(scalar) { $0.decomposedStringWithCanonicalMapping }
        }
    }
}
