public import SystemFoundation

// Operators of concrete types. Without them, the compiler would choose those of the values in `$0.likes += 1`.

/// Adds a number to a column in a batch update.
public func += (column: inout Column<Int16>, value: Int16) { column = column + value }
/// Subtracts a number from a column in a batch update.
public func -= (column: inout Column<Int16>, value: Int16) { column = column - value }
/// Multiplies a column by a number in a batch update.
public func *= (column: inout Column<Int16>, value: Int16) { column = column * value }
/// Divides a column by a number in a batch update.
public func /= (column: inout Column<Int16>, value: Int16) { column = column / value }
/// Adds another column to a column in a batch update.
public func += (column: inout Column<Int16>, other: Column<Int16>) { column = column + other }
/// Subtracts another column from a column in a batch update.
public func -= (column: inout Column<Int16>, other: Column<Int16>) { column = column - other }

/// Adds a number to a column in a batch update.
public func += (column: inout Column<Int32>, value: Int32) { column = column + value }
/// Subtracts a number from a column in a batch update.
public func -= (column: inout Column<Int32>, value: Int32) { column = column - value }
/// Multiplies a column by a number in a batch update.
public func *= (column: inout Column<Int32>, value: Int32) { column = column * value }
/// Divides a column by a number in a batch update.
public func /= (column: inout Column<Int32>, value: Int32) { column = column / value }
/// Adds another column to a column in a batch update.
public func += (column: inout Column<Int32>, other: Column<Int32>) { column = column + other }
/// Subtracts another column from a column in a batch update.
public func -= (column: inout Column<Int32>, other: Column<Int32>) { column = column - other }

/// Adds a number to a column in a batch update.
///
///     try context.batchUpdate(Post.all) { $0.likes += 2 }
public func += (column: inout Column<Int64>, value: Int64) { column = column + value }
/// Subtracts a number from a column in a batch update.
///
///     try context.batchUpdate(Post.all) { $0.likes -= 2 }
public func -= (column: inout Column<Int64>, value: Int64) { column = column - value }
/// Multiplies a column by a number in a batch update.
///
///     try context.batchUpdate(Post.all) { $0.likes *= 2 }
public func *= (column: inout Column<Int64>, value: Int64) { column = column * value }
/// Divides a column by a number in a batch update.
///
///     try context.batchUpdate(Post.all) { $0.likes /= 2 }
public func /= (column: inout Column<Int64>, value: Int64) { column = column / value }
/// Adds another column to a column in a batch update.
public func += (column: inout Column<Int64>, other: Column<Int64>) { column = column + other }
/// Subtracts another column from a column in a batch update.
public func -= (column: inout Column<Int64>, other: Column<Int64>) { column = column - other }

/// Adds a number to a column in a batch update.
///
///     try context.batchUpdate(Post.all) { $0.latitude += 2 }
public func += (column: inout Column<Double>, value: Double) { column = column + value }
/// Subtracts a number from a column in a batch update.
///
///     try context.batchUpdate(Post.all) { $0.latitude -= 2 }
public func -= (column: inout Column<Double>, value: Double) { column = column - value }
/// Multiplies a column by a number in a batch update.
///
///     try context.batchUpdate(Post.all) { $0.latitude *= 2 }
public func *= (column: inout Column<Double>, value: Double) { column = column * value }
/// Divides a column by a number in a batch update.
///
///     try context.batchUpdate(Post.all) { $0.latitude /= 2 }
public func /= (column: inout Column<Double>, value: Double) { column = column / value }
/// Adds another column to a column in a batch update.
///
///     try context.batchUpdate(Post.all) { $0.latitude += $0.longitude }
public func += (column: inout Column<Double>, other: Column<Double>) { column = column + other }
/// Subtracts another column from a column in a batch update.
///
///     try context.batchUpdate(Post.all) { $0.latitude -= $0.longitude }
public func -= (column: inout Column<Double>, other: Column<Double>) { column = column - other }

/// Adds a number to a column in a batch update.
public func += (column: inout Column<Float>, value: Float) { column = column + value }
/// Subtracts a number from a column in a batch update.
public func -= (column: inout Column<Float>, value: Float) { column = column - value }
/// Multiplies a column by a number in a batch update.
public func *= (column: inout Column<Float>, value: Float) { column = column * value }
/// Divides a column by a number in a batch update.
public func /= (column: inout Column<Float>, value: Float) { column = column / value }
/// Adds another column to a column in a batch update.
public func += (column: inout Column<Float>, other: Column<Float>) { column = column + other }
/// Subtracts another column from a column in a batch update.
public func -= (column: inout Column<Float>, other: Column<Float>) { column = column - other }

/// Adds a number to a column in a batch update.
///
///     try context.batchUpdate(Item.all) { $0.price += 2 }
public func += (column: inout Column<Decimal>, value: Decimal) { column = column + value }
/// Subtracts a number from a column in a batch update.
///
///     try context.batchUpdate(Item.all) { $0.price -= 2 }
public func -= (column: inout Column<Decimal>, value: Decimal) { column = column - value }
/// Multiplies a column by a number in a batch update.
///
///     try context.batchUpdate(Item.all) { $0.price *= 2 }
public func *= (column: inout Column<Decimal>, value: Decimal) { column = column * value }
/// Divides a column by a number in a batch update.
///
///     try context.batchUpdate(Item.all) { $0.price /= 2 }
public func /= (column: inout Column<Decimal>, value: Decimal) { column = column / value }
/// Adds another column to a column in a batch update.
public func += (column: inout Column<Decimal>, other: Column<Decimal>) { column = column + other }
/// Subtracts another column from a column in a batch update.
public func -= (column: inout Column<Decimal>, other: Column<Decimal>) { column = column - other }
