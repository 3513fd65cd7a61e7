/// Divides a stream of bytes into messages. Each message begins with a header that gives its length.
struct MessageStream {
    /// A stream that cannot be divided any further.
    struct Failure: Error, Hashable, CustomStringConvertible {
        var description: String
    }

    /// The largest message that is read, in bytes. A file of a model is not larger either.
    static let maximumSize = 300_000_000
    private static let maximumHeader = 64 * 1024

    private let read: () throws -> [UInt8]
    private var buffer: [UInt8] = []
    /// The bytes of the buffer that were read as messages.
    private var position = 0

    /// Makes a stream.
    ///
    /// - Parameter read: Waits for the next bytes and returns them; none at the end.
    init(_ read: @escaping () throws -> [UInt8]) { self.read = read }

    /// The text of the next message; nil at the end of the stream.
    ///
    /// - Throws: ``Failure`` when the header has no length, or the stream ends within a message.
    mutating func next() throws -> [UInt8]? {
        guard let length = try nextHeader() else { return nil }
        while buffer.count - position < length {
            guard try fill() else { throw Failure(description: "The input ended within a message.") }
        }
        let text = Array(buffer[position..<position + length])
        position += length
        if position == buffer.count || position > 1 << 20 {
            buffer.removeFirst(position)
            position = 0
        }
        return text
    }

    /// Reads a header, and returns the length of the message.
    private mutating func nextHeader() throws -> Int? {
        var length: Int?
        while let line = try nextLine() {
            if line.isEmpty {
                guard let length else { throw Failure(description: "A message has no header 'Content-Length'.") }
                return length
            }
            let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingSpaces }
            guard parts.count == 2, parts[0].lowercased() == "content-length" else { continue }
            guard let number = Int(parts[1]), (0...Self.maximumSize).contains(number) else {
                throw Failure(description: "A message has the length '\(parts[1])'.")
            }
            length = number
        }
        return nil
    }

    private mutating func nextLine() throws -> String? {
        var searched = position
        while true {
            if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                var line = buffer[position..<end]
                if line.last == UInt8(ascii: "\r") { line.removeLast() }
                position = end + 1
                return String(decoding: line, as: UTF8.self)
            }
            searched = buffer.count
            if buffer.count - position > Self.maximumHeader {
                throw Failure(description: "A header is longer than \(Self.maximumHeader) bytes.")
            }
            guard try fill() else {
                if position == buffer.count { return nil }
                throw Failure(description: "The input ended within a header.")
            }
        }
    }

    /// Reads more bytes; false at the end.
    private mutating func fill() throws -> Bool {
        let bytes = try read()
        buffer += bytes
        return !bytes.isEmpty
    }

    /// A message with its header.
    static func framed(_ text: [UInt8]) -> [UInt8] { Array("Content-Length: \(text.count)\r\n\r\n".utf8) + text }
}

extension Substring {
    fileprivate var trimmingSpaces: String {
        var text = drop { $0.isWhitespace }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
