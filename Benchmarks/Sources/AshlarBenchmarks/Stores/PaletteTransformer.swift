import Ashlar
import Foundation

/// The transformer that the model names. For all contestants, a palette stays the stored bytes.
enum PaletteTransformer: AttributeTransformer {
    static func data(from value: Data) -> Data { value }
    static func value(from data: Data) -> Data { data }
}
