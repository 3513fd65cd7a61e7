import DataModel

extension Attribute {
    /// The bounds that the model sets on values, as expressions of the runtime's `ValidationRule`.
    var validationRules: [String] {
        rules.map { rule in
            switch rule {
            case .minimum(let bound): ".minimum(\(bound.code))"
            case .maximum(let bound): ".maximum(\(bound.code))"
            case .minimumLength(let count): ".minimumLength(\(count))"
            case .maximumLength(let count): ".maximumLength(\(count))"
            case .pattern(let pattern): ".pattern(\(SwiftName.literal(pattern)))"
            }
        }
    }
}

extension AttributeRule.Bound {
    fileprivate var code: String {
        switch self {
        case .integer(let number): ".integer(\(number))"
        case .real(let number): ".real(\(number))"
        case .decimal(let text): ".text(\(SwiftName.literal(text)))"
        }
    }
}
