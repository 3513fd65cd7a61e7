/// The reserved words, in any mixture of cases.
enum Keyword: String, CaseIterable {
    case and, or, not
    case any, some, all, none
    case `in`, like, matches, contains, beginswith, endswith, between
    case caseinsensitive, ci
    case null, `nil`, `true`, yes, `false`, no
    case `self`, first, last, size
    case subquery, fetch, cast, ternary, function
    case truepredicate, falsepredicate
    case anykey, intersect, union, minus

    static let byName = Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })
    private static let longest = 15

    /// The keyword of a word, if any.
    init?(word: String) {
        guard word.utf8.count <= Self.longest, let keyword = Self.byName[word.lowercased()] else { return nil }
        self = keyword
    }

    /// The keyword's comparison operator, if any.
    var comparisonOperator: ComparisonOperator? {
        switch self {
        case .in: .in
        case .like: .like
        case .matches: .matches
        case .contains: .contains
        case .beginswith: .beginsWith
        case .endswith: .endsWith
        case .between: .between
        default: nil
        }
    }
}
