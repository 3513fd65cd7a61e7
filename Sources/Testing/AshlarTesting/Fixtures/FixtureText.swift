import Ashlar
import Foundation
import StoreExchange

/// The objects of a fixture's text, in any of its forms.
struct FixtureText {
    struct Object {
        /// From 1 on.
        var position: Int
        var entityName: String?
        /// The name that others use to refer to it.
        var identifier: ExchangedValue?
        var fields: [(name: String, value: ExchangedValue)]
    }

    private(set) var objects: [Object] = []

    /// - Parameter entityName: The entity of objects that do not say theirs.
    init(_ text: Data, entityName: String?) throws(FixtureError) {
        switch JSONParser.value(of: Array(text)) {
        case .list(let list)?:
            for value in list { try add(value, entityName) }
        case .object(let fields)? where fields.contains(where: { $0.0 == ExchangedVersion.entityKey }):
            try add(.object(fields), entityName)
        case .object(let fields)?:
            for (name, value) in fields {
                guard case .list(let list) = value else {
                    throw FixtureError("Under the name of an entity stands a list of objects.", entity: name)
                }
                for value in list { try add(value, name) }
            }
        case nil: try addLines(text, entityName)
        case .null?, .boolean?, .integer?, .real?, .number?, .text?:
            throw FixtureError("It is neither an object nor a list of objects.")
        }
    }

    /// Reads lines with one object each, as `ashlar dump` writes them.
    private mutating func addLines(_ text: Data, _ entityName: String?) throws(FixtureError) {
        var rest: Data? = text
        var lines = JSONObjects {
            defer { rest = nil }
            return rest ?? Data()
        }
        do {
            while let object = try lines.next() {
                try add(.object(Array(zip(object.names, object.values))), entityName)
            }
        } catch let error as FixtureError {
            throw error
        } catch {
            throw FixtureError("It is neither JSON nor lines of JSON. \(error)")
        }
    }

    private mutating func add(_ value: ExchangedValue, _ entityName: String?) throws(FixtureError) {
        let position = objects.count + 1
        guard case .object(let all) = value else { throw FixtureError("It is not an object.", position: position) }
        var object = Object(position: position, entityName: entityName, fields: [])
        var names: Set<String> = []
        for (name, value) in all {
            guard names.insert(name).inserted else {
                throw FixtureError("It is there twice.", position: position, entity: entityName, property: name)
            }
            switch (name, value) {
            case (ExchangedVersion.entityKey, .text(let name)): object.entityName = name
            case (ExchangedVersion.numberKey, _): object.identifier = value
            default: object.fields.append((name, value))
            }
        }
        objects.append(object)
    }
}
