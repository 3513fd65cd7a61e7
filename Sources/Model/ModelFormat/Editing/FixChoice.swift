public import DataModel

/// The choice of a fix that is not safe, among those of a finding.
public enum FixChoice: Sendable, Hashable {
    /// The one at a position, from 1 on, in the order of the output.
    case position(Int)
    /// The last one. For a deletion in a migration, it is the fix that marks the deletion as intended.
    case last

    /// The first one, which is the most likely.
    public static let first = FixChoice.position(1)

    /// The chosen fix of a finding; nil if the finding has fewer fixes.
    public func fix(of finding: Diagnostic) -> Diagnostic.Fix? {
        switch self {
        case .position(let number): finding.fixes.dropFirst(number - 1).first
        case .last: finding.fixes.last
        }
    }
}

extension FixChoice: LosslessStringConvertible {
    /// Reads a positive number, or `last`.
    public init?(_ description: String) {
        if description == "last" {
            self = .last
        } else if let number = Int(description), number > 0 {
            self = .position(number)
        } else {
            return nil
        }
    }

    public var description: String {
        switch self {
        case .position(let number): "\(number)"
        case .last: "last"
        }
    }
}
