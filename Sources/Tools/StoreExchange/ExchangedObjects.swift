import AshlarSQLite
import Foundation

/// Objects in a text, one after the other. Each is read on demand.
package protocol ExchangedObjects {
    /// The next object; nil at the end.
    mutating func next() throws -> ExchangedObject?
}

/// The fields of an object, in the order in which a text has them.
package struct ExchangedObject {
    /// The names, each of them once. Objects with the same names mostly share one array, which makes comparing the
    /// names cheap.
    package var names: [String]
    package var values: [ExchangedValue]
    /// Whether a text stands for a value of any type, as in CSV, where everything is text.
    package var isLoose = false

    package init(names: [String], values: [ExchangedValue], isLoose: Bool = false) {
        (self.names, self.values, self.isLoose) = (names, values, isLoose)
    }
}

/// The objects of a JSON array, or of lines with one each.
package struct JSONObjects: ExchangedObjects {
    private let read: () throws -> Data
    private var buffer: [UInt8] = []
    private var position = 0
    private var isAtEnd = false
    private var count = 0
    /// Nil outside of a list; false after its end, after which nothing may follow.
    private var isInList: Bool?
    /// Those of the object before.
    private var names: [String] = []

    /// Reads from a closure that returns the next bytes, and none at the end.
    package init(_ read: @escaping () throws -> Data) { self.read = read }

    /// The greatest object that is read, in bytes.
    private static let maximumLength = 1 << 30

    package mutating func next() throws -> ExchangedObject? {
        guard let range = try nextText() else { return nil }
        count += 1
        let before = names
        let values = buffer.withUnsafeBufferPointer { bytes in
            var parser = JSONParser(UnsafeBufferPointer(rebasing: bytes[range]))
            return parser.fields(names: &names)
        }
        guard let values else { throw ExchangeError("Object \(count) is not valid JSON.") }
        if names != before {
            var known: Set<String> = []
            for name in names where !known.insert(name).inserted {
                throw ExchangeError("Object \(count) has \(name) twice.")
            }
        }
        return ExchangedObject(names: names, values: values)
    }

    /// The range of the next object, from its brace to the one that ends it.
    private mutating func nextText() throws -> Range<Int>? {
        if count == 0, position == 0, try isMarkOfOrder() { position = 3 }
        // Between objects, there are only brackets, commas and space.
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
            default:
                throw ExchangeError(
                    count > 0
                        ? "The text after object \(count) is not an object."
                        : "The file does not begin with an object or a list of objects. Say --format csv of CSV.")
            }
            position += 1
        }
    }

    /// Returns whether the bytes begin with the mark that some programs write before UTF-8.
    private mutating func isMarkOfOrder() throws -> Bool {
        guard try byte(at: 2) != nil else { return false }
        return buffer.starts(with: [0xEF, 0xBB, 0xBF])
    }

    /// The range of the object at the position, from its brace to the one that ends it.
    private mutating func objectText() throws -> Range<Int> {
        if position > 1 << 16 {
            buffer.removeFirst(position)
            position = 0
        }
        let start = position
        var end = ObjectEnd()
        while try byte(at: position) != nil {
            position = buffer.withUnsafeBufferPointer { end.find(in: $0, from: position) }
            if position - start > Self.maximumLength { throw ExchangeError("Object \(count + 1) has more than 1 GB.") }
            if end.isFound { return start..<position }
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

/// Finds the brace that ends an object, over any number of parts of its text.
private struct ObjectEnd {
    private var depth = 0
    private var isText = false
    private var isEscaped = false
    private(set) var isFound = false

    /// The place behind the brace, or the end of the bytes.
    mutating func find(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        var position = start
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
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
                isFound = depth == 0
                if isFound { return position }
            }
        }
        return position
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

    /// Reads from a closure that returns the next bytes, and none at the end.
    package init(_ read: @escaping () throws -> Data) { self.read = read }

    package mutating func next() throws -> ExchangedObject? {
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
        return ExchangedObject(names: names, values: cells.map { $0.map { .text($0) } ?? .null }, isLoose: true)
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
            if isQuoted || !bytes.isEmpty {
                guard let text = String(validating: bytes, as: UTF8.self) else {
                    throw ExchangeError("Line \(count + 2) has a field that is not valid UTF-8.")
                }
                cells.append(text)
            } else {
                cells.append(nil)
            }
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
