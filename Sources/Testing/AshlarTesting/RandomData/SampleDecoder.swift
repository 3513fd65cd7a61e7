import Foundation

/// Makes values of any type that can be decoded: small numbers and texts, collections of one element, nil for
/// optionals.
struct SampleDecoder: Decoder {
    /// The number that numbers and texts are created from.
    private let number: Int
    /// The number of collections around the value. A type may have collections of its own kind.
    private let depth: Int
    let codingPath: [any CodingKey]
    let userInfo: [CodingUserInfoKey: Any] = [:]

    private init(number: Int, depth: Int = 0, codingPath: [any CodingKey] = []) {
        self.number = number
        self.depth = depth
        self.codingPath = codingPath
    }

    /// Different values of a type; none if the type only decodes special values.
    static func samples<Value: Decodable>(of type: Value.Type) -> [Value] {
        (1...3).compactMap { try? SampleDecoder(number: $0).value(type) }
    }

    private static let greatestDepth = 3
    private static let greatestPath = 20

    private func container(in key: (any CodingKey)?, isElement: Bool = false) throws -> SampleDecoder {
        if codingPath.count > Self.greatestPath {
            throw DecodingError.dataCorrupted(.init(codingPath: codingPath, debugDescription: "It has itself in it."))
        }
        return SampleDecoder(
            number: number, depth: depth + (isElement ? 1 : 0), codingPath: codingPath + (key.map { [$0] } ?? []))
    }

    /// Returns a value. Some types only decode texts of a form of their own.
    fileprivate func value<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let digits = String(format: "%012d", number)
        let known: Any? =
            switch type {
            case is Date.Type: Date(timeIntervalSinceReferenceDate: Double(number) * 86_400)
            case is URL.Type: URL(string: "https://example.org/\(number)")
            case is UUID.Type: UUID(uuidString: "00000000-0000-4000-8000-\(digits)")
            case is Data.Type: Data([UInt8(truncatingIfNeeded: number)])
            case is Decimal.Type: Decimal(number)
            default: nil
            }
        if let value = known as? Value { return value }
        if let type = type as? any CaseIterable.Type, let value = oneCase(of: type) as? Value { return value }
        return try Value(from: self)
    }

    private func oneCase<Value: CaseIterable>(of type: Value.Type) -> Any? {
        let cases = Array(type.allCases)
        return cases.isEmpty ? nil : cases[number % cases.count]
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Keyed<Key>(decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { Unkeyed(decoder: self) }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { Single(decoder: self) }

    // MARK: Containers

    private struct Single: SingleValueDecodingContainer {
        let decoder: SampleDecoder
        var codingPath: [any CodingKey] { decoder.codingPath }

        func decodeNil() -> Bool { false }

        func decode(_ type: Bool.Type) -> Bool { !decoder.number.isMultiple(of: 2) }

        func decode(_ type: String.Type) -> String { "text \(decoder.number)" }

        func decode(_ type: Double.Type) -> Double { Double(decoder.number) + 0.5 }

        func decode(_ type: Float.Type) -> Float { Float(decoder.number) + 0.5 }

        func decode<Number: FixedWidthInteger & Decodable>(_ type: Number.Type) -> Number { Number(decoder.number) }

        func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
            try decoder.container(in: nil).value(type)
        }
    }

    private struct Unkeyed: UnkeyedDecodingContainer {
        let decoder: SampleDecoder
        var codingPath: [any CodingKey] { decoder.codingPath }
        /// An array has one element; a dictionary whose keys are not texts is an array of a key and a value.
        var count: Int? { nil }
        var currentIndex = 0
        var isAtEnd: Bool { decoder.depth >= SampleDecoder.greatestDepth || currentIndex > 1 }

        init(decoder: SampleDecoder) { self.decoder = decoder }

        private struct Index: CodingKey {
            let intValue: Int?
            var stringValue: String { "\(intValue ?? 0)" }

            init(intValue: Int) { self.intValue = intValue }

            init?(stringValue: String) { nil }
        }

        private mutating func element() throws -> SampleDecoder {
            defer { currentIndex += 1 }
            return try decoder.container(in: Index(intValue: currentIndex), isElement: true)
        }

        mutating func decodeNil() -> Bool { false }

        mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try element().value(type) }

        mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
            try element().container(keyedBy: type)
        }

        mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
            try element().unkeyedContainer()
        }

        mutating func superDecoder() throws -> any Decoder { try element() }
    }

    private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let decoder: SampleDecoder
        var codingPath: [any CodingKey] { decoder.codingPath }

        /// Dictionaries have one entry, and enumerations with values their first case if the type lists its keys.
        var allKeys: [Key] {
            if decoder.depth >= SampleDecoder.greatestDepth { return [] }
            if let type = Key.self as? any CaseIterable.Type {
                return decoder.oneCase(of: type).map { [$0 as? Key] }?.compactMap(\.self) ?? []
            }
            return Key(stringValue: "\(decoder.number)").map { [$0] } ?? []
        }

        func contains(_ key: Key) -> Bool { false }

        func decodeNil(forKey key: Key) -> Bool { true }

        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            // A dictionary's keys are the numbers that it was given, and its values count as elements.
            try decoder.container(in: key, isElement: Int(key.stringValue) != nil).value(type)
        }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<Nested> { try decoder.container(in: key).container(keyedBy: type) }

        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            try decoder.container(in: key).unkeyedContainer()
        }

        func superDecoder() throws -> any Decoder { decoder }

        func superDecoder(forKey key: Key) throws -> any Decoder { try decoder.container(in: key) }
    }
}
