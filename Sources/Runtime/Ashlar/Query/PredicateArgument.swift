import AshlarSQLite
public import SystemFoundation

/// A value for a placeholder or a `$VARIABLE` of a format string.
///
/// The types of attributes conform, and so do objects and their identifiers, arrays and sets of these for `IN`, closed
/// ranges for `BETWEEN`, and optionals.
public protocol PredicateArgument {
    /// The value in the form that predicates use.
    var predicateValue: PredicateValue { get }
}

/// A value for a format string, with its type.
///
/// The conformances to ``PredicateArgument`` create it.
public struct PredicateValue {
    package enum Content {
        case value(SQLiteValue)
        case values([SQLiteValue])
        case identifier(PersistentIdentifier)
        case identifiers([PersistentIdentifier?])
        case bounds(SQLiteValue, SQLiteValue)
        case object(ManagedObject)
    }

    /// The type of a value, with which a format string compares that of a property.
    package indirect enum Kind: Sendable, Hashable {
        case attribute(AttributeType)
        case identifier
        case object(entity: String)
        case collection(of: Kind)
        case bounds(of: Kind)
        case null, unknown
    }

    package let content: Content
    package let kind: Kind

    init(_ content: Content, _ kind: Kind) {
        self.content = content
        self.kind = kind
    }

    init(_ value: SQLiteValue, _ type: AttributeType) { self.init(.value(value), .attribute(type)) }

    package static var null: PredicateValue { PredicateValue(.value(.null), .null) }

    /// The value; nil for several, and for an object.
    package var single: SQLiteValue? { if case .value(let value) = content { value } else { nil } }

    /// The identifier of the object; nil for other values.
    package var identifier: PersistentIdentifier? {
        switch content {
        case .identifier(let identifier): identifier
        case .object(let object): object.identifier
        default: nil
        }
    }

    init(list values: some Sequence<any PredicateArgument>) {
        var all: [SQLiteValue] = []
        var identifiers: [PersistentIdentifier?] = []
        var kind: Kind = .unknown
        for value in values.lazy.map(\.predicateValue) {
            if let identifier = value.identifier {
                identifiers.append(identifier)
            } else if let single = value.single {
                all.append(single)
            } else {
                continue
            }
            if kind == .unknown || kind == .null { kind = value.kind }
        }
        if identifiers.isEmpty {
            self.init(.values(all), .collection(of: kind))
        } else {
            if all.contains(where: \.isNull) { identifiers.append(nil) }
            self.init(.identifiers(identifiers), .collection(of: kind))
        }
    }
}

extension Int: PredicateArgument {
    public var predicateValue: PredicateValue { PredicateValue(.integer(Int64(self)), .integer64) }
}

extension Int16: PredicateArgument {
    public var predicateValue: PredicateValue { PredicateValue(.integer(Int64(self)), .integer64) }
}

extension Int32: PredicateArgument {
    public var predicateValue: PredicateValue { PredicateValue(.integer(Int64(self)), .integer64) }
}

extension Int64: PredicateArgument {
    public var predicateValue: PredicateValue { PredicateValue(.integer(self), .integer64) }
}

extension Double: PredicateArgument {
    public var predicateValue: PredicateValue { PredicateValue(.real(self), .double) }
}

extension Float: PredicateArgument {
    public var predicateValue: PredicateValue { PredicateValue(.real(Double(self)), .double) }
}

extension Decimal: PredicateArgument {
    public var predicateValue: PredicateValue { PredicateValue(SQLiteValue(named: self), .decimal) }
}

extension Bool: PredicateArgument {
    public var predicateValue: PredicateValue { PredicateValue(SQLiteValue(self), .boolean) }
}

extension String: PredicateArgument {
    public var predicateValue: PredicateValue { PredicateValue(.text(self), .string) }
}

extension Date: PredicateArgument {
    public var predicateValue: PredicateValue { PredicateValue(.real(timeIntervalSinceReferenceDate), .date) }
}

extension Data: PredicateArgument {
    public var predicateValue: PredicateValue { PredicateValue(.blob(self), .binary) }
}

extension UUID: PredicateArgument {
    public var predicateValue: PredicateValue { PredicateValue(SQLiteValue(self), .uuid) }
}

extension URL: PredicateArgument {
    public var predicateValue: PredicateValue { PredicateValue(SQLiteValue(self), .uri) }
}

extension PersistentIdentifier: PredicateArgument {
    public var predicateValue: PredicateValue { PredicateValue(.identifier(self), .identifier) }
}

extension ManagedObject: PredicateArgument {
    public var predicateValue: PredicateValue { PredicateValue(.object(self), .object(entity: entity.name)) }
}

extension Optional: PredicateArgument where Wrapped: PredicateArgument {
    public var predicateValue: PredicateValue { self?.predicateValue ?? .null }
}

extension Array: PredicateArgument where Element: PredicateArgument {
    public var predicateValue: PredicateValue { PredicateValue(list: map { $0 }) }
}

extension Set: PredicateArgument where Element: PredicateArgument {
    public var predicateValue: PredicateValue { PredicateValue(list: map { $0 }) }
}

extension ClosedRange: PredicateArgument where Bound: PredicateArgument {
    public var predicateValue: PredicateValue {
        let lower = lowerBound.predicateValue
        let upper = upperBound.predicateValue
        return PredicateValue(.bounds(lower.single ?? .null, upper.single ?? .null), .bounds(of: lower.kind))
    }
}
