/// A predicate in which every name has been found and every type been checked.
public struct ResolvedPredicate: Sendable, Hashable {
    /// The kind of a predicate.
    public indirect enum Kind: Sendable, Hashable {
        case comparison(Comparison)
        case and([ResolvedPredicate])
        case or([ResolvedPredicate])
        case not(ResolvedPredicate)
        case value(Bool)
    }

    /// Two expressions and the operator between them.
    public struct Comparison: Sendable, Hashable {
        /// The treatment of a left side with many values.
        public var modifier: ComparisonModifier
        /// The expression before the operator.
        public var left: ResolvedExpression
        /// The operator between the sides.
        public var `operator`: ComparisonOperator
        /// The differences that a comparison of strings ignores.
        public var options: ComparisonOptions
        /// The expression after the operator.
        public var right: ResolvedExpression
    }

    /// The node's kind.
    public var kind: Kind
    /// The place in the text, as UTF-8 offsets.
    public var range: Range<Int>
}

/// An expression in which every name has been found and whose type is known.
public struct ResolvedExpression: Sendable, Hashable {
    /// The kind of an expression.
    public indirect enum Kind: Sendable, Hashable {
        case constant(Constant)
        /// An object, or a value that is found by following names from it.
        case path(ResolvedPath)
        case variable(String)
        case argument(FormatArgument)
        case aggregate([ResolvedExpression])
        /// One value of the objects, or of the values, that a path with one to-many relationship leads to.
        ///
        /// `items.@sum.price`, `items.price.@sum` and `sum:(items.price)` all have the path `items.price`.
        case collectionOperator(CollectionOperator, of: ResolvedPath)
        case arithmetic(ArithmeticOperator, ResolvedExpression, ResolvedExpression)
        case negation(ResolvedExpression)
        case function(BuiltInFunction, arguments: [ResolvedExpression])
        /// A date and the seconds to add to it: `FUNCTION(date, "dateByAddingTimeInterval:", seconds)`.
        case addingTimeInterval(ResolvedExpression, to: ResolvedExpression)
        case conditional(ResolvedPredicate, ResolvedExpression, ResolvedExpression)
        /// A value converted to the expression's type; an object of another entity counts as nil.
        case cast(ResolvedExpression)
        /// The objects of a collection for which a predicate about `$variable` holds.
        case subquery(ResolvedPath, variable: String, ResolvedPredicate)
        /// One element of an ordered collection.
        case element(ResolvedExpression, ResolvedIndex)
    }

    /// The node's kind.
    public var kind: Kind
    /// The type that the value has, or for a variable or an argument the type that is expected at this place.
    public var type: ResolvedType
    /// The place in the text, as UTF-8 offsets.
    public var range: Range<Int>
}

/// The path to a value: the object to start from, and the properties to follow.
public struct ResolvedPath: Sendable, Hashable {
    /// The start of a path.
    public indirect enum Root: Sendable, Hashable {
        /// The object that the predicate evaluates.
        case evaluatedObject
        /// The element of a SUBQUERY, by the name of its variable.
        case subqueryVariable(String)
        /// The object, or the objects, that an expression gives: a variable, a CAST, an element, a SUBQUERY.
        case expression(ResolvedExpression)
    }

    /// One property on the way.
    public struct Step: Sendable, Hashable {
        /// The name of the property.
        public var name: String
        /// The entity or composite that has it.
        public var owner: PropertyOwner
        /// The property.
        public var property: PropertyDescription
        /// The place in the text, as UTF-8 offsets.
        public var range: Range<Int>
    }

    /// The start of the path.
    public var root: Root
    /// No steps mean the object itself.
    public var steps: [Step]
    /// The type at the end, a collection if any step on the way is to-many.
    public var type: ResolvedType
}

/// The position of an element in a collection.
public indirect enum ResolvedIndex: Sendable, Hashable {
    case first, last, size
    case at(ResolvedExpression)
}

/// The result of a resolver: a tree without errors, or errors without a tree.
public struct Resolution<Root: Sendable & Hashable>: Sendable, Hashable {
    /// The resolved tree; nil if there are errors.
    public var root: Root?
    /// The errors in the order of the text.
    public var errors: [PredicateFormatError]
    /// The types of the `$VARIABLES`, by their names.
    public var variables: [String: ResolvedType]
    /// The names of the `$VARIABLES` in the order in which the text first uses them.
    public var variableNames: [String]
    /// The types of the arguments, by their positions. A type can be unknown, since the value comes with the format.
    public var arguments: [Int: ResolvedType]
    /// The properties and entities that the text names, as far as they were found; there can be some beside errors.
    public var names: [ResolvedName] = []
}

/// A property or an entity that a text names.
public struct ResolvedName: Sendable, Hashable {
    /// The kind of a named thing.
    public enum Kind: Sendable, Hashable {
        /// A property or a full-text index of an entity, or an attribute of a composite.
        case property(of: PropertyOwner)
        case entity
    }

    /// The kind of the named thing.
    public var kind: Kind
    /// The name.
    public var name: String
    /// The place in the text, as UTF-8 offsets: the name, or the part of the text that has it within a string.
    public var range: Range<Int>
}

extension Resolution {
    /// Makes the resolution of a text that cannot be read.
    public init(failing error: PredicateFormatError) {
        self.init(root: nil, errors: [error], variables: [:], variableNames: [], arguments: [:])
    }
}
