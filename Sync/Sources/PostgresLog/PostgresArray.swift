import Foundation

extension PostgresValue {
    /// An array of numbers.
    static func integers(_ numbers: some Sequence<Int64>) -> PostgresValue {
        .text("{\(numbers.map { "\($0)" }.joined(separator: ","))}")
    }

    /// An array of texts that are hexadecimal digits and hyphens, such as those of identifiers.
    static func identifiers(_ texts: some Sequence<UUID?>) -> PostgresValue {
        .text("{\(texts.map { $0?.uuidString ?? "NULL" }.joined(separator: ","))}")
    }

    /// An array of texts.
    static func texts(_ texts: some Sequence<String>) -> PostgresValue {
        let quoted = texts.map { text in
            "\"" + text.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "\"", with: "\\\"") + "\""
        }
        return .text("{\(quoted.joined(separator: ","))}")
    }

    /// An array of bytes, in PostgreSQL's binary format. It begins with the number of dimensions, whether any element
    /// is NULL, and the type of the elements. The size and the first index of the dimension follow, then each element
    /// with its length.
    static func byteStrings(_ strings: [Data]) -> PostgresValue {
        var data = Data(capacity: 20 + strings.reduce(0) { $0 + $1.count + 4 })
        func append(_ number: Int32) { withUnsafeBytes(of: number.bigEndian) { data.append(contentsOf: $0) } }
        let byteaType: Int32 = 17
        for number in [1, 0, byteaType, Int32(strings.count), 1] { append(number) }
        for string in strings {
            append(Int32(string.count))
            data.append(string)
        }
        return .bytes(data)
    }
}
