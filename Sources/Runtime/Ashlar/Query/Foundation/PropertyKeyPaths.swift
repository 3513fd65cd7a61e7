/// The names of a class's properties in the model, by their key paths, and the key paths by the names.
///
/// Foundation's predicates and sort descriptors refer to properties by key paths, and importers and editors by names.
/// Generated code creates one value per class when a property is first used this way.
///
/// `@unchecked Sendable`: the value does not change once it is created. Its key paths are those of properties without
/// subscripts and capture nothing, but the compiler cannot derive that from `AnyKeyPath`.
@_spi(Generated) public struct PropertyKeyPaths: @unchecked Sendable {
    private var names: [AnyKeyPath: String] = [:]
    /// The properties of the class, including those that the store does not have.
    private var properties: [String: AnyKeyPath] = [:]
    /// The properties that the store does not have, those of the superclass first.
    private(set) var transients: [AnyKeyPath] = []

    /// Creates the names that a closure adds, for generated code.
    @_spi(Generated) public init(_ add: (inout PropertyKeyPaths) -> Void = { _ in }) {
        add(&self)
    }

    /// Adds a property of the class or of a composite in it, for generated code.
    @_spi(Generated) public mutating func add(_ keyPath: AnyKeyPath, _ name: String) {
        names[keyPath] = name
        if type(of: keyPath).rootType is ManagedObject.Type { properties[name] = keyPath }
    }

    /// Adds a property without a value of the object: its identity, or a full-text index.
    public mutating func add(unvalued keyPath: AnyKeyPath, _ name: String) {
        names[keyPath] = name
    }

    /// Adds a property that the store does not have.
    public mutating func add(transient keyPath: AnyKeyPath, _ name: String) {
        properties[name] = keyPath
        transients.append(keyPath)
    }

    /// Returns the key path of a property, from the class, by its name in the model.
    func keyPath(of name: String) -> AnyKeyPath? { properties[name] }

    /// Returns the key path of a part of a composite, from the composite, by its name in the model.
    func keyPath(of name: String, in composite: Any.Type) -> AnyKeyPath? {
        names.first { $0.value == name && type(of: $0.key).rootType == composite }?.key
    }

    /// The name in the model of a property of the class, of a composite, or of an enumeration.
    subscript(keyPath: AnyKeyPath) -> String? { names[keyPath] }

    /// Returns the key path of a property, from a class, by its name in the model.
    func keyPath<Model>(of name: String, in type: Model.Type) -> PartialKeyPath<Model>? {
        properties[name] as? PartialKeyPath<Model>
    }

    /// Returns the names along a key path through required composites, such as `home.street`.
    ///
    /// - Parameter suffix: The part of the key path after the last property.
    func path(of keyPath: AnyKeyPath, without suffix: AnyKeyPath? = nil) -> String? {
        if suffix == nil, let name = names[keyPath] { return name }
        for (first, name) in names where type(of: first).rootType == type(of: keyPath).rootType {
            if let suffix, first.appending(path: suffix) == keyPath { return name }
            if let rest = path(of: keyPath, from: first, suffix) { return "\(name).\(rest)" }
        }
        return nil
    }

    private func path(of keyPath: AnyKeyPath, from prefix: AnyKeyPath, _ suffix: AnyKeyPath?) -> String? {
        for (next, name) in names where type(of: next).rootType == type(of: prefix).valueType {
            guard let longer = prefix.appending(path: next) else { continue }
            if suffix.map({ longer.appending(path: $0) }) ?? longer == keyPath { return name }
            if let rest = path(of: keyPath, from: longer, suffix) { return "\(name).\(rest)" }
        }
        return nil
    }

    /// The name for the raw value of an enumeration.
    @_spi(Generated) public static var _ashlarRawValue: String { "$rawValue" }
}
