import Ashlar
import Foundation

/// Colors as three bytes each.
enum PaletteTransformer: AttributeTransformer {
    struct Color: Sendable, Hashable {
        var red: UInt8
        var green: UInt8
        var blue: UInt8
    }

    struct BadLength: Error {
        var count: Int
    }

    /// A color for which the transformer throws an error.
    static let unstorable = Color(red: 1, green: 2, blue: 3)

    static func data(from value: [Color]) throws -> Data {
        if value.contains(unstorable) { throw BadLength(count: 0) }
        return Data(value.flatMap { [$0.red, $0.green, $0.blue] })
    }

    static func value(from data: Data) throws -> [Color] {
        guard data.count.isMultiple(of: 3) else { throw BadLength(count: data.count) }
        let bytes = [UInt8](data)
        return stride(from: 0, to: bytes.count, by: 3).map {
            Color(red: bytes[$0], green: bytes[$0 + 1], blue: bytes[$0 + 2])
        }
    }
}
