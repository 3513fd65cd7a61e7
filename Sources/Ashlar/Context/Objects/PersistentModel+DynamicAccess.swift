/// Properties by their names in the model, for code that learns these only when it runs: importers, editors, scripts.
extension PersistentModel {
    /// The value at a path of properties: `"title"`, `"author.name"`, `"home.city"` for a part of a composite.
    ///
    /// Of a path through a to-one relationship that leads nowhere, or an optional composite that is nil, the value is
    /// nil. A to-many relationship is a ``ToMany``, and only the end of a path. Core Data's `value(forKeyPath:)`, without
    /// its collection operators.
    ///
    /// - Throws: ``PropertyError``.
    public func value(forKeyPath path: String) throws(PropertyError) -> Any? {
        try propertyValue(path)
    }

    /// Sets the property at a path, as its own accessor does.
    ///
    /// The value must be of the property's type, and may be nil only where the property may. A number of another type is
    /// converted where it is the same number, or the nearest one of a type with a fraction: `3` for a `Double`, `2.0` for an
    /// `Int64`, an `NSNumber` for any of them. A raw value stands for its case of an enumeration. A part of a composite can
    /// be set where the composite is not optional. Core Data's `setValue(_:forKeyPath:)`, which cuts `2.5` to the `2` of an
    /// integer; here that is an error.
    ///
    /// - Throws: ``PropertyError``, and nothing is changed then.
    public func setValue(_ value: Any?, forKeyPath path: String) throws(PropertyError) {
        try setPropertyValue(value, path)
    }

    /// The names and values of the properties that ``PersistentModel/changedProperties`` names. Core Data's
    /// `changedValues()`.
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

/// A name that leads to no property, or a value that a property cannot have.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum PropertyError: Error, Sendable, Hashable {
    /// The entity has no property of this name; a fetched property is none that can be read so.
    case unknown(entity: String, property: String)
    /// The path goes on after something that has no properties.
    case noObject(entity: String, property: String)
    /// The property, or the part of an optional composite, cannot be set.
    case readOnly(entity: String, property: String)
    /// A value of another type than the property's.
    case wrongType(entity: String, property: String, expected: String, found: String)
    /// Nothing is there to be set: a relationship on the way leads nowhere.
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
            "\(property) of \(entity) is of type \(expected), and cannot be \(found)."
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
        // The key paths cannot be joined where an optional composite is on the way.
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
    /// What of the path is left.
    var rest: String?
}

/// A value without the optionals around it.
func flattened(_ value: Any?) -> Any? {
    guard let value else { return nil }
    guard let optional = value as? any OptionalValue else { return value }
    return flattened(optional.content)
}

/// An optional, whatever it is one of.
protocol OptionalValue {
    static var wrappedType: Any.Type { get }
    var content: Any? { get }
}

extension Optional: OptionalValue {
    static var wrappedType: Any.Type { Wrapped.self }
    var content: Any? { map { $0 as Any } }
}

/// A key path that can be written through, whatever the types are.
private protocol PropertySetter {
    var valueType: String { get }
    /// False when the value is of another type, or the object of another class.
    func set(_ value: Any?, of object: ManagedObject) -> Bool
}

extension ReferenceWritableKeyPath: PropertySetter where Root: ManagedObject {
    fileprivate var valueType: String { "\(Value.self)" }

    fileprivate func set(_ value: Any?, of object: ManagedObject) -> Bool {
        guard let object = object as? Root else { return false }
        guard let value = value as? Value ?? value.flatMap({ ConvertedValue.convert($0, to: Value.self) }) as? Value
        else { return false }
        object[keyPath: self] = value
        return true
    }
}
