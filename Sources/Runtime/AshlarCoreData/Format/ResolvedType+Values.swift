import Ashlar
import PredicateFormat

extension PredicateValue {
    /// The type of the value, as the resolver names types.
    var type: ResolvedType { ResolvedType(kind) }
}

extension ResolvedType {
    fileprivate init(_ kind: PredicateValue.Kind) {
        switch kind {
        case .attribute(let type): self = .value(ValueType(type))
        case .identifier: self = .value(.objectID)
        case .object(let entity): self = .object(entity: entity)
        case .collection(let element): self = .collection(of: ResolvedType(element))
        case .bounds(let element): self = .bounds(of: ResolvedType(element))
        case .null: self = .null
        case .unknown: self = .unknown
        }
    }
}

extension ValueType {
    /// The type of an attribute; all of them have the same names.
    init(_ type: AttributeType) { self = ValueType(rawValue: type.rawValue) ?? .transformable }
}

extension FetchError {
    /// A format string with mistakes.
    static func invalidFormat(_ format: String, _ entity: String, _ errors: [PredicateFormatError]) -> FetchError {
        let problems = errors.map {
            FormatProblem(code: $0.code.rawValue, range: $0.range, message: $0.message, hint: $0.note)
        }
        return .invalidFormat(format, entity: entity, problems: problems)
    }
}
