/// The names that are valid in SQLite, Swift and the predicate format.
package enum SQLiteName {
    /// The name as SQLite compares it: only the case of ASCII letters is ignored.
    ///
    /// It is computed many times for every name, and the tool is built without optimisation: hence the plain loops.
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

    /// Returns whether a name is a letter or an underscore, followed by letters, underscores and digits, in any script.
    package static func isLegal(_ name: String) -> Bool {
        if let isLegal = isLegalASCII(name) { return isLegal }
        guard let first = name.unicodeScalars.first else { return false }
        return (first == "_" || first.properties.isXIDStart)
            && name.unicodeScalars.dropFirst().allSatisfy(\.properties.isXIDContinue)
    }

    /// The result for a name in ASCII, which does not need Unicode's properties; nil for other names.
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
