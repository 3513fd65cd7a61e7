import Synchronization
import SystemFoundation

#if FoundationEssentials
    /// Regular expressions, which require all of Foundation. Without it, each is reported as an error.
    enum RegularExpressions {
        static func matches(
            _ text: String, _ pattern: String, _ options: TextOptions
        ) throws(ScalarFunctionError) -> Bool {
            try expression(pattern, options)
            return false
        }

        static func expression(_ pattern: String, _ options: TextOptions) throws(ScalarFunctionError) {
            throw .invalidRegularExpression(
                pattern,
                reason: "regular expressions need Foundation, and the program is built with FoundationEssentials")
        }
    }
#else
    /// Regular expressions in ICU's syntax, as in Foundation.
    enum RegularExpressions {
        private struct Key: Hashable {
            var pattern: String
            var options: TextOptions
        }

        /// The expressions used before, because creating one takes longer than matching a short text. Their number is
        /// limited, because a program may create patterns from its input.
        private static let known = Mutex<[Key: NSRegularExpression]>([:])
        private static let maximumCount = 256

        /// Returns whether an expression matches the entire text.
        static func matches(_ text: String, _ pattern: String, _ options: TextOptions) throws(ScalarFunctionError)
            -> Bool
        {
            let expression = try expression(pattern, options)
            let folded = folded(text, options)
            let whole = NSRange(folded.startIndex..., in: folded)
            var isMatch = false
            var isComplete = true
            // Only the last call reports that the search ended without an answer.
            expression.enumerateMatches(in: folded, options: .reportCompletion, range: whole) { match, flags, stop in
                if flags.contains(.internalError) { isComplete = false }
                guard let match else { return }
                isMatch = match.range == whole
                stop.pointee = true
            }
            if !isMatch, !isComplete { throw .unfinishedRegularExpression(pattern, length: folded.utf16.count) }
            return isMatch
        }

        /// Folds a text. The expression itself handles case; accents and width are removed from both texts.
        private static func folded(_ text: String, _ options: TextOptions) -> String {
            TextFolding.folded(text, options.subtracting(.caseInsensitive))
        }

        static func expression(
            _ pattern: String, _ options: TextOptions
        ) throws(ScalarFunctionError) -> NSRegularExpression {
            let key = Key(pattern: pattern, options: options)
            if let expression = known.withLock({ $0[key] }) { return expression }
            let expression: NSRegularExpression
            do {
                // The group makes the anchors apply to all alternatives.
                expression = try NSRegularExpression(
                    pattern: "\\A(?:\(folded(pattern, options)))\\z",
                    options: options.contains(.caseInsensitive) ? [.caseInsensitive] : [])
            } catch {
                throw .invalidRegularExpression(pattern, reason: (error as NSError).localizedDescription)
            }
            known.withLock { known in
                if known.count >= maximumCount { known.removeAll() }
                known[key] = expression
            }
            return expression
        }
    }
#endif
