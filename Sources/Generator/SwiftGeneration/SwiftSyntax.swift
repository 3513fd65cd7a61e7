/// A Swift source file as a tree of declarations; ``SwiftRenderer`` makes text of it.
struct SwiftFile: Sendable, Hashable {
    var header: [String]
    var imports: [String]
    var declarations: [Declaration]
}

/// One declaration. Statements inside bodies are lines of text, which the renderer indents.
indirect enum Declaration: Sendable, Hashable {
    case type(TypeDeclaration)
    case property(PropertyDeclaration)
    case function(FunctionDeclaration)
    /// Another name for a type.
    case alias(AccessLevel, name: String, type: String)
    /// The former name of a type, which no code may use any more.
    case former(AccessLevel, name: String, type: String)
    /// Declarations that are compiled under a condition.
    case conditional(String, [Declaration])
    case mark(String)
}

/// The visibility of a declaration.
public enum AccessLevel: String, Sendable, Hashable, Codable, CaseIterable {
    case `internal`, `package`, `public`
}

struct TypeDeclaration: Sendable, Hashable {
    enum Kind: String, Sendable, Hashable {
        case `class`, `struct`, `enum`, `extension`
    }

    var documentation: [String] = []
    var access: AccessLevel = .internal
    var modifiers: [String] = []
    var kind: Kind
    var name: String
    var inherited: [String] = []
    var condition: String?
    var members: [Declaration] = []
}

struct PropertyDeclaration: Sendable, Hashable {
    var documentation: [String] = []
    var attributes: [String] = []
    var access: AccessLevel = .internal
    var modifiers: [String] = []
    var isConstant = false
    var name: String
    var type: String
    var initialValue: [String] = []
    /// The note that explains the numbers in the accessors, before them.
    var note: String?
    var accessors: [Accessor] = []
}

/// An accessor of a property; one without a keyword is the whole of a computed property's body.
struct Accessor: Sendable, Hashable {
    var keyword: String?
    var body: [String]
}

struct FunctionDeclaration: Sendable, Hashable {
    var documentation: [String] = []
    var attributes: [String] = []
    var access: AccessLevel = .internal
    var modifiers: [String] = []
    /// The name with its keyword: `init`, `func decode`.
    var name: String
    var parameters: [Parameter] = []
    /// The text after the parameters: `throws(RowError) -> Self`.
    var result = ""
    var body: [String] = []
}

struct Parameter: Sendable, Hashable {
    var name: String
    var type: String
    var defaultValue: String?
}
