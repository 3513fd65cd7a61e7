// Declarations of Apple's Foundation and Dispatch that Ashlar uses and that the modules of the same names lack on
// Linux, after Apple's documentation. Nothing of it runs.
public import Dispatch
public import Foundation

extension String.StandardComparator {
    /// https://developer.apple.com/documentation/swift/string/standardcomparator/localizedstandard
    public static var localizedStandard: Self { .lexical }
    /// https://developer.apple.com/documentation/swift/string/standardcomparator/localized
    public static var localized: Self { .lexical }
}

/// https://developer.apple.com/documentation/foundation/predicateexpressions
extension PredicateExpressions {
    public struct StringLocalizedStandardContains<Root: PredicateExpression, Other: PredicateExpression>:
        PredicateExpression
    where Root.Output: StringProtocol, Other.Output: StringProtocol {
        public typealias Output = Bool
        public let root: Root
        public let other: Other

        public func evaluate(_ bindings: PredicateBindings) throws -> Bool { false }
    }

    public struct StringCaseInsensitiveCompare<Root: PredicateExpression, Other: PredicateExpression>:
        PredicateExpression
    where Root.Output: StringProtocol, Other.Output: StringProtocol {
        public typealias Output = ComparisonResult
        public let root: Root
        public let other: Other

        public func evaluate(_ bindings: PredicateBindings) throws -> ComparisonResult { .orderedSame }
    }

    public struct StringLocalizedCompare<Root: PredicateExpression, Other: PredicateExpression>: PredicateExpression
    where Root.Output: StringProtocol, Other.Output: StringProtocol {
        public typealias Output = ComparisonResult
        public let root: Root
        public let other: Other

        public func evaluate(_ bindings: PredicateBindings) throws -> ComparisonResult { .orderedSame }
    }
}

/// https://developer.apple.com/documentation/dispatch/dispatchsourcefilesystemobject
public protocol DispatchSourceFileSystemObject: DispatchSourceProtocol {
    var handle: Int32 { get }
}

extension DispatchSource {
    /// https://developer.apple.com/documentation/dispatch/dispatchsource/makefilesystemobjectsource(filedescriptor:eventmask:queue:)
    public class func makeFileSystemObjectSource(
        fileDescriptor: Int32, eventMask: FileSystemEvent, queue: DispatchQueue? = nil
    ) -> any DispatchSourceFileSystemObject { preconditionFailure("a declaration only") }
}
