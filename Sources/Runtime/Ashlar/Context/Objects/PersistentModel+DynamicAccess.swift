/// Access to properties by their names in the model, for importers, editors and scripts that read names at run time.
extension PersistentModel {
    /// Returns the value at a path of properties, such as `"title"`, `"author.name"` or `"home.city"`.
    ///
    /// Use it in generic code and for names that are known only at run time. Collection operators such as `@count` are
    /// not supported. A to-many relationship is a ``ToMany``, and can only be the end of a path.
    ///
    ///     let name = try post.value(forKeyPath: "author.name") as? String
    ///
    /// Core Data's counterpart is `value(forKeyPath:)`.
    ///
    /// - Parameter path: The names of properties in the model, separated by periods.
    /// - Returns: Nil if the value is nil, or if a to-one relationship or an optional composite on the path is nil.
    /// - Throws: ``PropertyError`` if the path has no value to return, such as
    ///   ``PropertyError/unknown(entity:property:)``.
    public func value(forKeyPath path: String) throws(PropertyError) -> Any? {
        try propertyValue(path)
    }

    /// Sets the value at a path of properties, as its generated setter does.
    ///
    /// The value must have the property's type, and may be nil only for an optional property. A number of another type
    /// is converted if that is exact, or to the nearest value of a type with fractions. A raw value stands for its case
    /// of an enumeration. A part of a composite can be set only if the composite is not optional.
    ///
    ///     try post.setValue("Alps", forKeyPath: "title")
    ///
    /// Core Data's counterpart is `setValue(_:forKeyPath:)`, which truncates `2.5` for an integer. Here that is an
    /// error.
    ///
    /// - Parameters:
    ///   - value: The new value.
    ///   - path: The names of properties in the model, separated by periods.
    /// - Throws: ``PropertyError`` if the value cannot be set. Nothing is changed then.
    public func setValue(_ value: Any?, forKeyPath path: String) throws(PropertyError) {
        try setPropertyValue(value, path)
    }

    /// The names and present values of the properties in ``PersistentModel/changedProperties``.
    ///
    ///     for (name, value) in post.changedValues { print(name, value ?? "nil") }
    ///
    /// Core Data's counterpart is `changedValues()`.
    public var changedValues: [String: Any?] {
        var values: [String: Any?] = [:]
        for name in changedProperties {
            if let keyPath = type(of: self)._ashlarKeyPaths.keyPath(of: name) {
                values[name] = .some(flattened(self[keyPath: keyPath]))
            }
        }
        return values
    }
}

/// An error of access to a property by its name.
///
///     do {
///         try post.setValue("Alps", forKeyPath: "subtitle")
///     } catch {
///         print(error)                                    // Post has no property 'subtitle'.
///     }
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum PropertyError: Error, Sendable, Hashable {
    /// The entity has no readable property of this name.
    ///
    /// Fetched properties cannot be read by name.
    case unknown(entity: String, property: String)
    /// The path continues after a value that has no properties.
    case noObject(entity: String, property: String)
    /// The property cannot be set, or is a part of an optional composite.
    case readOnly(entity: String, property: String)
    /// The value has another type than the property.
    case wrongType(entity: String, property: String, expected: String, found: String)
    /// A to-one relationship on the path is nil, so there is no object to set the property of.
    case nothing(entity: String, property: String)
}

extension PropertyError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unknown(let entity, let property):
            "\(entity) has no property \(property). Names are those of the model, in their spelling."
        case .noObject(let entity, let property):
            "\(property) of \(entity) leads to no single object, so that a path ends there."
        case .readOnly(let entity, let property):
            "\(property) of \(entity) cannot be set. Of an optional composite, set the whole value."
        case .wrongType(let entity, let property, let expected, let found):
            "\(property) of \(entity) has the type \(expected), and cannot be \(found)."
        case .nothing(let entity, let property):
            "\(property) of \(entity) is nil, so that there is nothing to set a property of."
        }
    }
}

extension ManagedObject {
    fileprivate final func propertyValue(_ path: String) throws(PropertyError) -> Any? {
        let property = try property(path)
        guard let value = value(of: property) else { return nil }
        guard let rest = property.rest else { return value }
        guard let object = value as? ManagedObject else {
            throw .noObject(entity: entity.name, property: property.name)
        }
        return try object.propertyValue(rest)
    }

    fileprivate final func setPropertyValue(_ value: Any?, _ path: String) throws(PropertyError) {
        let property = try property(path)
        if let rest = property.rest {
            guard let next = self.value(of: property) else {
                throw .nothing(entity: entity.name, property: property.name)
            }
            guard let object = next as? ManagedObject else {
                throw .noObject(entity: entity.name, property: property.name)
            }
            return try object.setPropertyValue(value, rest)
        }
        // Key paths cannot be joined across an optional composite.
        let joined = property.parts.reduce(property.keyPath as AnyKeyPath?) { $0?.appending(path: $1) }
        guard let setter = joined as? any PropertySetter else {
            throw .readOnly(entity: entity.name, property: property.name)
        }
        if !setter.set(value, of: self) {
            throw .wrongType(
                entity: entity.name, property: property.name, expected: setter.valueType,
                found: value.map { "\(type(of: $0))" } ?? "nil")
        }
    }

    private final func value(of property: NamedProperty) -> Any? {
        property.parts.reduce(flattened(self[keyPath: property.keyPath])) { value, part in
            value.flatMap { flattened($0[keyPath: part]) }
        }
    }

    /// The property that a path begins with.
    private func property(_ path: String) throws(PropertyError) -> NamedProperty {
        let names = path.split(separator: ".", omittingEmptySubsequences: false)
        let first = String(names[0])
        let keyPaths = type(of: self)._ashlarKeyPaths
        guard let keyPath = keyPaths.keyPath(of: first) else {
            throw .unknown(entity: entity.name, property: names.count > 1 ? first : path)
        }
        var property = NamedProperty(keyPath: keyPath, name: first)
        var composite: Any.Type = type(of: keyPath).valueType
        for (index, name) in names.enumerated().dropFirst() {
            if let optional = composite as? any OptionalValue.Type { composite = optional.wrappedType }
            guard composite is any CompositeValue.Type else {
                property.rest = names[index...].joined(separator: ".")
                break
            }
            property.name += "." + name
            guard let part = keyPaths.keyPath(of: String(name), in: composite) else {
                throw .unknown(entity: entity.name, property: property.name)
            }
            property.parts.append(part)
            composite = type(of: part).valueType
        }
        return property
    }
}

/// A property, or a part of a composite, by its name.
private struct NamedProperty {
    let keyPath: AnyKeyPath
    /// The key paths within the composite.
    var parts: [AnyKeyPath] = []
    var name: String
    /// The rest of the path.
    var rest: String?
}

/// Returns a value without the optionals around it.
func flattened(_ value: Any?) -> Any? {
    guard let value else { return nil }
    guard let optional = value as? any OptionalValue else { return value }
    return flattened(optional.content)
}

/// An optional of any type.
protocol OptionalValue {
    static var wrappedType: Any.Type { get }
    var content: Any? { get }
}

extension Optional: OptionalValue {
    static var wrappedType: Any.Type { Wrapped.self }
    var content: Any? { map { $0 as Any } }
}

/// A writable key path of any types.
private protocol PropertySetter {
    var valueType: String { get }
    /// Sets the value. Returns false if the value has another type, or the object another class.
    func set(_ value: Any?, of object: ManagedObject) -> Bool
}

extension ReferenceWritableKeyPath: PropertySetter where Root: ManagedObject {
    fileprivate var valueType: String { "\(Value.self)" }

    fileprivate func set(_ value: Any?, of object: ManagedObject) -> Bool {
        guard let object = object as? Root else { return false }
        if let value = value as? Value {
            object[keyPath: self] = value
            return true
        }
        // If the conversion fails, an optional property keeps its value: nil must not replace it.
        guard let given = value, let converted = ConvertedValue.convert(given, to: Value.self),
            let value = converted as? Value
        else { return false }
        object[keyPath: self] = value
        return true
    }
}
