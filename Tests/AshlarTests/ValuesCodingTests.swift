import Foundation
import Testing

@testable import Ashlar

/// The encoding of values structs: each type with the coder's own method for it.
@Suite struct ValuesCodingTests {
    /// For a value that comes by its generic method, a coder makes another coder. Numbers, truth values and texts do
    /// not need that.
    @Test func numbersAndTextsAreEncodedWithoutTheGenericMethod() throws {
        let identifier = PersistentIdentifier(rowID: 1, store: 1, entity: EntityNumber(root: 0, entity: 0))
        let counts = try [nil, "p"].map { plate in
            let encoder = CountingEncoder()
            try Truck.Values(name: "a", wheels: 4, driver: identifier, doors: 2, load: 1.5, plate: plate)
                .encode(to: encoder)
            return [encoder.calls.plain, encoder.calls.generic]
        }
        // The identifier alone has no method of its own.
        #expect(counts == [[4, 1], [5, 1]])
    }
}

/// Counts the calls of each kind of method, and keeps no values.
private final class CountingEncoder: Encoder {
    final class Calls {
        var plain = 0
        var generic = 0
    }

    let calls = Calls()
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(Container<Key>(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { preconditionFailure("values have keys") }

    func singleValueContainer() -> any SingleValueEncodingContainer { preconditionFailure("values have keys") }

    struct Container<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let encoder: CountingEncoder
        var codingPath: [any CodingKey] { [] }

        func encodeNil(forKey key: Key) {}
        func encode(_ value: Bool, forKey key: Key) { encoder.calls.plain += 1 }
        func encode(_ value: String, forKey key: Key) { encoder.calls.plain += 1 }
        func encode(_ value: Double, forKey key: Key) { encoder.calls.plain += 1 }
        func encode(_ value: Float, forKey key: Key) { encoder.calls.plain += 1 }
        func encode(_ value: Int, forKey key: Key) { encoder.calls.plain += 1 }
        func encode(_ value: Int8, forKey key: Key) { encoder.calls.plain += 1 }
        func encode(_ value: Int16, forKey key: Key) { encoder.calls.plain += 1 }
        func encode(_ value: Int32, forKey key: Key) { encoder.calls.plain += 1 }
        func encode(_ value: Int64, forKey key: Key) { encoder.calls.plain += 1 }
        func encode(_ value: UInt, forKey key: Key) { encoder.calls.plain += 1 }
        func encode(_ value: UInt8, forKey key: Key) { encoder.calls.plain += 1 }
        func encode(_ value: UInt16, forKey key: Key) { encoder.calls.plain += 1 }
        func encode(_ value: UInt32, forKey key: Key) { encoder.calls.plain += 1 }
        func encode(_ value: UInt64, forKey key: Key) { encoder.calls.plain += 1 }

        func encode<Value: Encodable>(_ value: Value, forKey key: Key) {
            encoder.calls.generic += 1
        }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) -> KeyedEncodingContainer<Nested> { encoder.container(keyedBy: type) }

        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { encoder.unkeyedContainer() }

        func superEncoder() -> any Encoder { encoder }

        func superEncoder(forKey key: Key) -> any Encoder { encoder }
    }
}
