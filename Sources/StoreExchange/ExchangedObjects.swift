import AshlarSQLite
import Foundation

/// Objects in a text, one after the other: each is read when it is asked for.
package protocol ExchangedObjects {
    /// The next object, by its keys; nil at the end.
    mutating func next() throws -> [String: ExchangedField]?
}

/// A value of a text, and whether that is all that its form says of it.
package struct ExchangedField {
    package var value: ExchangedValue
    /// Whether a text stands for whatever is written in it, as in CSV, where all is text.
    var isLoose: Bool
}

/// The objects of a JSON array, or of lines with one each.
package struct JSONObjects: ExchangedObjects {
    private let read: () throws -> Data
    private var buffer: [UInt8] = []
    private var position = 0
    private var isAtEnd = false
    private var count = 0
    /// Nil outside of a list; false after its end, behind which nothing stands.
    private var isInList: Bool?

    /// Reads from what gives the next bytes, none at the end.
    package init(_ read: @escaping () throws -> Data) { self.read = read }

    /// The greatest object that is read, in bytes.
    private static let maximumLength = 1 << 30

    package mutating func next() throws -> [String: ExchangedField]? {
        guard let range = try nextText() else { return nil }
        count += 1
        var parser = JSONParser(buffer[range])
        guard case .object(let fields)? = parser.parse() else { throw ExchangeError("Object \(count) is no JSON.") }
        var result: [String: ExchangedField] = [:]
        for (key, value) in fields {
            if result.updateValue(ExchangedField(value: value, isLoose: false), forKey: key) != nil {
                throw ExchangeError("Object \(count) has \(key) twice.")
            }
        }
        return result
    }

    /// Where the bytes are from a brace to the one that ends it.
    private mutating func nextText() throws -> Range<Int>? {
        // Between objects stand only brackets, commas and space.
        while true {
            guard let byte = try byte(at: position) else {
                if isInList == true {
                    throw ExchangeError("The file ends behind object \(count) and before its list does.")
                }
                return nil
            }
            switch byte {
            case 0x20, 0x09, 0x0A, 0x0D: break
            case UInt8(ascii: ",") where isInList == true && count > 0: break
            case UInt8(ascii: "[") where isInList == nil && count == 0: isInList = true
            case UInt8(ascii: "]") where isInList == true: isInList = false
            case UInt8(ascii: "{") where isInList != false: return try objectText()
            default: throw ExchangeError("Behind object \(count) stands what is no object.")
            }
            position += 1
        }
    }

    /// Where the bytes are from the brace at the position to the one that ends it.
    private mutating func objectText() throws -> Range<Int> {
        if position > 1 << 16 {
            buffer.removeFirst(position)
            position = 0
        }
        let start = position
        var (depth, isText, isEscaped) = (0, false, false)
        while let byte = try byte(at: position) {
            position += 1
            if position - start > Self.maximumLength { throw ExchangeError("Object \(count + 1) has more than 1 GB.") }
            if isEscaped {
                isEscaped = false
            } else if isText {
                isEscaped = byte == UInt8(ascii: "\\")
                isText = byte != UInt8(ascii: "\"")
            } else if byte == UInt8(ascii: "\"") {
                isText = true
            } else if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
                depth += 1
            } else if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
                depth -= 1
                if depth == 0 { return start..<position }
            }
        }
        throw ExchangeError("The file ends within object \(count + 1).")
    }

    private mutating func byte(at index: Int) throws -> UInt8? {
        while index >= buffer.count {
            if isAtEnd { return nil }
            let more = try read()
            if more.isEmpty { isAtEnd = true } else { buffer += more }
        }
        return buffer[index]
    }
}

/// The lines of CSV, whose first has the names of the fields.
package struct CSVObjects: ExchangedObjects {
    private let read: () throws -> Data
    private var buffer: [UInt8] = []
    private var position = 0
    private var isAtEnd = false
    private var names: [String]?
    private var count = 0

    /// Reads from what gives the next bytes, none at the end.
    package init(_ read: @escaping () throws -> Data) { self.read = read }

    package mutating func next() throws -> [String: ExchangedField]? {
        if names == nil {
            guard let first = try line() else { return nil }
            var found = first.map { $0 ?? "" }
            // Excel begins a file with the mark of the byte order.
            if found[0].unicodeScalars.first == "\u{FEFF}" { found[0].unicodeScalars.removeFirst() }
            if Set(found).count < found.count { throw ExchangeError("The first line names a field twice.") }
            names = found
        }
        guard let names, let cells = try line() else { return nil }
        count += 1
        if cells.count != names.count {
            throw ExchangeError("Line \(count + 1) has \(cells.count) fields, and the first has \(names.count).")
        }
        var result: [String: ExchangedField] = [:]
        for (name, cell) in zip(names, cells) {
            result[name] = ExchangedField(value: cell.map { .text($0) } ?? .null, isLoose: true)
        }
        return result
    }

    /// The fields of the next line; nil for an empty one without quotation marks.
    private mutating func line() throws -> [String?]? {
        guard try byte() != nil else { return nil }
        var cells: [String?] = []
        while true {
            var bytes: [UInt8] = []
            var isQuoted = false
            if try byte() == UInt8(ascii: "\"") {
                isQuoted = true
                position += 1
                while true {
                    guard let next = try byte() else { throw ExchangeError("The file ends within a quoted field.") }
                    position += 1
                    if next != UInt8(ascii: "\"") {
                        bytes.append(next)
                    } else if try byte() == UInt8(ascii: "\"") {
                        bytes.append(next)
                        position += 1
                    } else {
                        break
                    }
                }
            } else {
                while let next = try byte(), next != UInt8(ascii: ","), next != 0x0A, next != 0x0D {
                    bytes.append(next)
                    position += 1
                }
            }
            cells.append(isQuoted || !bytes.isEmpty ? String(decoding: bytes, as: UTF8.self) : nil)
            let end = try byte()
            if end == UInt8(ascii: ",") {
                position += 1
                continue
            }
            if end == 0x0D { position += 1 }
            if try byte() == 0x0A {
                position += 1
            } else if end != nil, end != 0x0D {
                throw ExchangeError("Line \(count + 2) has something behind a quoted field.")
            }
            return cells
        }
    }

    private mutating func byte() throws -> UInt8? {
        while position >= buffer.count {
            if isAtEnd { return nil }
            buffer = [UInt8](try read())
            position = 0
            if buffer.isEmpty { isAtEnd = true }
        }
        return buffer[position]
    }
}

extension ExchangedField {
    /// A text.
    package init(text: String) { self.init(value: .text(text), isLoose: false) }

    /// What a column holds.
    package init(_ value: SQLiteValue, isBoolean: Bool) {
        self.init(value: ExchangedValue(value, isBoolean ? .boolean : nil), isLoose: false)
    }

    /// References to several objects.
    package init(list: [SQLiteValue]) {
        self.init(value: .list(list.map { ExchangedValue($0, nil) }), isLoose: false)
    }
}
