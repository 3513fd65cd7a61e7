import AshlarSQLite

/// The functions of ``ScalarFunction`` and the aggregates, in the form in which connections register them.
enum RegisteredFunctions {
    static let library = FunctionLibrary(prefix: ScalarFunction.prefix, functions: scalars + aggregates)

    private static var scalars: [LibraryFunction] {
        ScalarFunction.allCases.map { function in
            LibraryFunction(
                function.sqlName, comparison: TextComparison(rawValue: function.rawValue).map { asciiComparison($0) }
            ) { arguments in
                do throws(ScalarFunctionError) {
                    return .value(try function.value(arguments))
                } catch {
                    return .failure(error.description)
                }
            }
        }
    }

    /// Returns a comparison that reads ASCII texts in SQLite's memory.
    private static func asciiComparison(_ comparison: TextComparison) -> LibraryFunction.TextComparison {
        { text, pattern, options in
            TextMatching.ascii(comparison, text, pattern, TextOptions(rawValue: Int(truncatingIfNeeded: options)))
        }
    }

    private static var aggregates: [LibraryFunction] {
        [false, true].flatMap { isDecimal in
            [
                LibraryFunction(aggregate: AggregateFunction.sum.sqlName(isDecimal: isDecimal)) {
                    NumberFunction.sum($0, isDecimal: isDecimal)
                },
                LibraryFunction(aggregate: AggregateFunction.average.sqlName(isDecimal: isDecimal)) {
                    NumberFunction.average($0, isDecimal: isDecimal)
                },
            ]
        }
    }
}
