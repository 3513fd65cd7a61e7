import Ashlar
import Foundation

/// A color of a picture.
struct Color: Sendable, Hashable {
    var red: UInt8
    var green: UInt8
    var blue: UInt8
}

/// Stores a list of colors as three bytes each. The model names it as the transformer of `Post.palette`.
enum PaletteTransformer: AttributeTransformer {
    /// The stored bytes are not a list of colors.
    struct InvalidPalette: Error {
        var byteCount: Int
    }

    static func data(from colors: [Color]) -> Data {
        Data(colors.flatMap { [$0.red, $0.green, $0.blue] })
    }

    static func value(from data: Data) throws -> [Color] {
        guard data.count.isMultiple(of: 3) else { throw InvalidPalette(byteCount: data.count) }
        let bytes = [UInt8](data)
        return stride(from: 0, to: bytes.count, by: 3).map { start in
            Color(red: bytes[start], green: bytes[start + 1], blue: bytes[start + 2])
        }
    }
}
