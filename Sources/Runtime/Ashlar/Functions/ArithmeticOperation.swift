/// The operations on two numbers.
///
/// Whole numbers stay whole, and division cuts off the fraction; what leaves the range of 64 bits becomes a
/// floating-point number. Division by zero gives NULL. Decimal numbers are computed exactly.
@_spi(Generated) public enum ArithmeticOperation: String, Sendable, Hashable, CaseIterable {
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "/"
}
