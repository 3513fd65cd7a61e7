/// A place in a model file, as compilers print it.
public struct SourceLocation: Sendable, Hashable, Codable {
    /// The path of the file, as it was given to the reader.
    public var file: String
    /// The line, counted from 1; 0 when only the file is known.
    public var line: Int
    /// The column in the line, counted from 1 in UTF-8 bytes; 0 when only the line is known.
    public var column: Int

    /// Makes a location; a line or column of 0 means that it is not known.
    public init(file: String, line: Int = 0, column: Int = 0) {
        self.file = file
        self.line = line
        self.column = column
    }
}

extension SourceLocation: CustomStringConvertible {
    /// `file:line:column`, without the parts that are not known.
    public var description: String {
        if line == 0 { return file }
        return column == 0 ? "\(file):\(line)" : "\(file):\(line):\(column)"
    }
}

extension SourceLocation: Comparable {
    /// Orders by file, then line, then column.
    public static func < (left: SourceLocation, right: SourceLocation) -> Bool {
        (left.file, left.line, left.column) < (right.file, right.line, right.column)
    }
}
