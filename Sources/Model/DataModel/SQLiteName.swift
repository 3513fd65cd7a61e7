/// The names that are valid in SQLite, Swift and the predicate format.
package enum SQLiteName {
    /// The name as SQLite compares it, which is without regard to the case of ASCII letters only.
    ///
    /// It is asked of every name many times, and the tool is built without optimisation: hence the plain loops.
    package static func folded(_ name: String) -> String {
        var name = name
        return name.withUTF8 { bytes in
            guard let start = bytes.baseAddress else { return "" }
            return String(unsafeUninitializedCapacity: bytes.count) { buffer in
                guard let copy = buffer.baseAddress else { return 0 }
                var index = 0
                while index < bytes.count {
                    let byte = start[index]
                    copy[index] = byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
                    index &+= 1
                }
                return index
            }
        }
    }

    /// Returns whether a name begins with a letter or an underscore and goes on with these and digits, in any script.
    package static func isLegal(_ name: String) -> Bool {
        if let isLegal = isLegalASCII(name) { return isLegal }
        guard let first = name.unicodeScalars.first else { return false }
        return (first == "_" || first.properties.isXIDStart)
            && name.unicodeScalars.dropFirst().allSatisfy(\.properties.isXIDContinue)
    }

    /// The answer for a name in ASCII, which needs no look at Unicode's properties; nil for another.
    private static func isLegalASCII(_ name: String) -> Bool? {
        var name = name
        return name.withUTF8 { bytes in
            guard let start = bytes.baseAddress, bytes.count > 0 else { return false }
            var isLegal = !(start[0] >= 0x30 && start[0] <= 0x39)
            var index = 0
            while index < bytes.count {
                let byte = start[index]
                if byte >= 0x80 { return nil }
                let isLetter = byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A
                if !isLetter && byte != 0x5F && !(byte >= 0x30 && byte <= 0x39) { isLegal = false }
                index &+= 1
            }
            return isLegal
        }
    }
}
