/// An address of a page, with its parameters.
struct Address: Equatable {
    var path: String
    var parameters: [(name: String, value: String)] = []

    init(_ path: String, _ parameters: [(String, String?)] = []) {
        self.path = path
        for (name, value) in parameters { if let value { self.parameters.append((name, value)) } }
    }

    static func == (left: Address, right: Address) -> Bool { left.text == right.text }

    /// The address as it stands in a link. All bytes but letters, digits and four others are written as numbers.
    var text: String {
        parameters.isEmpty ? path : path + "?" + query
    }

    /// The parameters as they stand in a link.
    var query: String {
        parameters.map { "\(Self.encoded($0.name))=\(Self.encoded($0.value))" }.joined(separator: "&")
    }

    private static let digits = Array("0123456789ABCDEF".utf8)

    static func encoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                bytes.append(byte)
            default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// The parameters of an address, or the fields of a form.
struct Parameters {
    private(set) var values: [(name: String, value: String)] = []

    /// Reads `a=1&b=2`; nil if it is malformed, is not UTF-8, or has a name twice.
    init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        if bytes.isEmpty { return }
        var names: Set<String> = []
        for part in bytes.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false) {
            let sign = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
            guard let name = Self.decoded(part[..<sign]), let value = Self.decoded(part[sign...].dropFirst()),
                names.insert(name).inserted
            else { return nil }
            values.append((name, value))
        }
    }

    subscript(name: String) -> String? { values.first { $0.name == name }?.value }

    static func decoded(_ bytes: some Collection<UInt8>) -> String? {
        var result: [UInt8] = []
        var rest = Array(bytes)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): result.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let first = rest.popFirst().flatMap(digit), let second = rest.popFirst().flatMap(digit) else {
                    return nil
                }
                result.append(first << 4 | second)
            default: result.append(byte)
            }
        }
        return String(validating: result, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x37
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }
}
