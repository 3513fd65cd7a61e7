// This file selects the Foundation that the runtime is built with. With the trait `FoundationEssentials`, it is the
// part without Objective-C names, ICU and localisation. The files beside this one replace the missing parts that the
// runtime needs.
#if FoundationEssentials
    @_exported public import Dispatch
    @_exported public import FoundationEssentials
    #if canImport(Darwin)
        @_exported public import Darwin
    #elseif canImport(Glibc)
        @_exported public import Glibc
    #elseif canImport(Musl)
        @_exported public import Musl
    #elseif canImport(Android)
        @_exported public import Android
    #endif
#else
    @_exported public import Foundation
#endif

/// Facts about the running program.
package enum Program {
    /// The identifier of its bundle; nil if it has none, and without Foundation, which reads it.
    package static var bundleIdentifier: String? {
        #if FoundationEssentials
            nil
        #else
            Bundle.main.bundleIdentifier
        #endif
    }

    /// A text of the bundle's property list.
    package static func information(_ key: String) -> String? {
        #if FoundationEssentials
            nil
        #else
            Bundle.main.infoDictionary?[key] as? String
        #endif
    }
}

/// A number among the attributes of a file or of a file system.
package func wholeNumber(ofAttribute value: Any?) -> Int64? {
    #if !FoundationEssentials
        if let value = value as? NSNumber { return value.int64Value }
    #endif
    return (value as? any BinaryInteger).flatMap { Int64(exactly: $0) }
}

/// The binary number that is nearest to a decimal one.
package func double(nearest value: Decimal) -> Double {
    #if FoundationEssentials
        Double("\(value)") ?? .nan
    #else
        NSDecimalNumber(decimal: value).doubleValue
    #endif
}

#if !os(Windows)
    // Functions of the C library under names that nothing else has.
    package func renameFile(_ source: String, _ target: String) -> Int32 { rename(source, target) }
    package func linkFile(_ source: String, _ target: String) -> Int32 { link(source, target) }
#endif
