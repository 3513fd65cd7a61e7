import Ashlar
import Foundation

/// The transformer that the model names. Here a palette stays the bytes that it is stored as, for all contestants.
enum PaletteTransformer: AttributeTransformer {
    static func data(from value: Data) -> Data { value }
    static func value(from data: Data) -> Data { data }
}
