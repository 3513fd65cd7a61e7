/// The operations on two numbers.
///
/// The result of whole numbers is a whole number, and their division truncates; a result outside of 64 bits becomes a
/// floating-point number. Division by zero gives NULL. Decimal numbers are computed exactly.
@_spi(Generated) public enum ArithmeticOperation: String, Sendable, Hashable, CaseIterable {
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "/"
}
