import AshlarSQLite

/// The functions of ``ScalarFunction`` and the aggregates, as connections know them.
enum RegisteredFunctions {
    static let library = FunctionLibrary(prefix: ScalarFunction.prefix, functions: scalars + aggregates)

    private static var scalars: [LibraryFunction] {
        ScalarFunction.allCases.map { function in
            LibraryFunction(function.sqlName) { arguments in
                do throws(ScalarFunctionError) {
                    return .value(try function.value(arguments))
                } catch {
                    return .failure(error.description)
                }
            }
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
