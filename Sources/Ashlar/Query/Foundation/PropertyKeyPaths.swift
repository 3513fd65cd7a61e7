/// The names of a class's properties in the model, by their key paths.
///
/// Foundation's predicates and sort descriptors call properties by key paths. Generated code makes one of these per
/// class, when a predicate or sort descriptor of that class is used for the first time.
///
/// `@unchecked Sendable`: it is a value that is not changed once it is made, and its key paths, being those of properties
/// without subscripts, capture nothing; `AnyKeyPath` alone keeps the compiler from seeing it.
public struct PropertyKeyPaths: @unchecked Sendable {
    private var names: [AnyKeyPath: String] = [:]

    /// Makes the names that a closure adds; generated code does.
    public init(_ add: (inout PropertyKeyPaths) -> Void = { _ in }) {
        add(&self)
    }

    /// Adds a property, of the class or of a composite in it; generated code calls it.
    public mutating func add(_ keyPath: AnyKeyPath, _ name: String) {
        names[keyPath] = name
    }

    /// The name in the model of a property of the class, of a composite, or of an enumeration.
    subscript(keyPath: AnyKeyPath) -> String? { names[keyPath] }

    /// The key path of a property, from a class, by its name in the model.
    func keyPath<Model>(of name: String, in type: Model.Type) -> PartialKeyPath<Model>? {
        names.lazy.filter { $0.value == name }.compactMap { $0.key as? PartialKeyPath<Model> }.first
    }

    /// The names along a key path through composites that are always there: `home.street`.
    func path(of keyPath: AnyKeyPath) -> String? {
        if let name = names[keyPath] { return name }
        for (first, name) in names where type(of: first).rootType == type(of: keyPath).rootType {
            if let rest = path(of: keyPath, from: first) { return "\(name).\(rest)" }
        }
        return nil
    }

    private func path(of keyPath: AnyKeyPath, from prefix: AnyKeyPath) -> String? {
        for (next, name) in names where type(of: next).rootType == type(of: prefix).valueType {
            guard let longer = prefix.appending(path: next) else { continue }
            if longer == keyPath { return name }
            if let rest = path(of: keyPath, from: longer) { return "\(name).\(rest)" }
        }
        return nil
    }

    /// The name that stands for the raw value of an enumeration.
    public static var _ashlarRawValue: String { "$rawValue" }
}
