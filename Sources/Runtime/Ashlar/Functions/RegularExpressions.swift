import Synchronization
import SystemFoundation

#if FoundationEssentials
    /// Regular expressions, which need all of Foundation: each is an error that says so.
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
    /// Regular expressions with the syntax of ICU, which Foundation has too.
    enum RegularExpressions {
        private struct Key: Hashable {
            var pattern: String
            var options: TextOptions
        }

        /// Those that were used before, because making one takes longer than matching a short text. Programs that make
        /// patterns of their input would otherwise grow this without end.
        private static let known = Mutex<[Key: NSRegularExpression]>([:])
        private static let maximumCount = 256

        /// Returns whether an expression matches a whole text.
        static func matches(_ text: String, _ pattern: String, _ options: TextOptions) throws(ScalarFunctionError)
            -> Bool
        {
            let expression = try expression(pattern, options)
            let folded = folded(text, options)
            let whole = NSRange(folded.startIndex..., in: folded)
            var isMatch = false
            var isComplete = true
            // What ended without an answer tells so in its last call only.
            expression.enumerateMatches(in: folded, options: .reportCompletion, range: whole) { match, flags, stop in
                if flags.contains(.internalError) { isComplete = false }
                guard let match else { return }
                isMatch = match.range == whole
                stop.pointee = true
            }
            if !isMatch, !isComplete { throw .unfinishedRegularExpression(pattern, length: folded.utf16.count) }
            return isMatch
        }

        /// Case is the expression's own matter; accents and width are taken from both.
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
                // The group keeps the anchors from binding to one alternative only.
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
