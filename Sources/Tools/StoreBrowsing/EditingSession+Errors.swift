import Ashlar
import Foundation

extension EditingSession {
    /// Returns the message of an error, with objects named as on the pages.
    static func reason(_ error: any Error) -> BrowsingError {
        switch error {
        case let error as BrowsingError: return error
        case SaveError.conflict:
            return BrowsingError(.refused, "Another program changed the same objects meanwhile. Nothing was saved.")
        case SaveError.validation(let failures):
            let messages = failures.filter { !$0.property.isEmpty }.map { ($0.property, named("\($0)")) }
            return BrowsingError(
                .refused, named(BrowsingError.of(error).description),
                fields: Dictionary(messages) { "\($0); \($1)" })
        case SaveError.notUnique(_, let properties, _):
            let text = named(BrowsingError.of(error).description)
            return BrowsingError(
                .refused, text, fields: Dictionary(properties.map { ($0, text) }) { first, _ in first })
        case SaveError.constraint, SaveError.valueTooLarge,
            SaveError.derivedOverflow, SaveError.conversion, SaveError.unsettled, SaveError.readOnly,
            SaveError.readOnlyStore, StoreError.untrustedSchema, StoreError.locked:
            return BrowsingError(.refused, named(BrowsingError.of(error).description))
        case StoreError.missingObject:
            return BrowsingError(.missing, named(BrowsingError.of(error).description))
        default: return BrowsingError(.unavailable, named(BrowsingError.of(error).description))
        }
    }

    private static func named(_ text: String) -> String {
        text.replacing(/x-ashlar:\/\/[^\/ ]*\/([^\/ ]+)\/([pt])(\d+)/) { match in
            let name = String(match.1).removingPercentEncoding ?? String(match.1)
            return match.2 == "p" ? "\(name) \(match.3)" : "the new \(name)"
        }
    }
}
