import Counters
import Foundation

/// A call whose work is counted while one thing grows.
struct Scenario {
    /// The thing that grows.
    enum Dimension: String {
        case rows, members, pending, registered, observers, contexts, history, length
    }

    /// The permitted growth of the work.
    enum Growth {
        case constant, linear
        /// A finding without a cure yet; its scenario gives the reason.
        case quadratic
    }

    let name: String
    let dimension: Dimension
    let growth: Growth
    /// The public functions that the call is about, as `Type.name`.
    let uses: [String]
    /// Prepares the call for a size.
    let prepare: (Int) throws -> () throws -> Void

    init(
        _ name: String, _ dimension: Dimension, _ growth: Growth, _ uses: String...,
        prepare: @escaping (Int) throws -> () throws -> Void
    ) {
        self.init(name, dimension, growth, uses, prepare: prepare)
    }

    init(
        _ name: String, _ dimension: Dimension, _ growth: Growth, _ uses: [String],
        prepare: @escaping (Int) throws -> () throws -> Void
    ) {
        (self.name, self.dimension, self.growth, self.uses) = (name, dimension, growth, uses)
        self.prepare = prepare
    }

    func measure(_ size: Int) throws -> Counts {
        let call = try prepare(size)
        return try Counts.of(call)
    }

    /// The counts that grow faster than they may.
    func findings(_ counts: [Counts], _ sizes: [Int]) -> [String] {
        Counts.kinds.compactMap { kind in
            let values = counts.map { Double($0[keyPath: kind.path]) }
            guard let first = values.first, let last = values.last, values.count > 1 else { return nil }
            if last - first <= kind.slack { return nil }
            switch growth {
            case .constant:
                // The depth of an index grows with the logarithm.
                return last <= first * 1.25 ? nil : "\(kind.name) grow"
            case .linear, .quadratic:
                let exponent = Self.exponent(values, sizes)
                return exponent <= (growth == .linear ? 1.2 : 2.2)
                    ? nil : "\(kind.name) grow with exponent \(String(format: "%.2f", exponent))"
            }
        }
    }

    /// The exponent between the last sizes, without the constant part.
    private static func exponent(_ values: [Double], _ sizes: [Int]) -> Double {
        let count = values.count
        let base = count > 2 ? min(values[0], values[1]) : 0
        let size = count > 2 ? Double(sizes[0]) : 0
        let (before, after) = (values[count - 2] - base, values[count - 1] - base)
        if before <= 0 || after <= 0 { return after <= 0 ? 0 : .infinity }
        return log(after / before) / log((Double(sizes[count - 1]) - size) / (Double(sizes[count - 2]) - size))
    }
}

/// The work of a call.
struct Counts: CustomStringConvertible {
    var steps = 0
    var statements = 0
    var compilations = 0
    var allocations = 0

    /// The counts to compare. A difference up to the slack is ignored.
    static let kinds: [(name: String, path: KeyPath<Counts, Int> & Sendable, slack: Double)] = [
        ("steps", \.steps, 200), ("statements", \.statements, 3), ("compilations", \.compilations, 3),
        ("allocations", \.allocations, 300),
    ]

    var description: String { "\(steps) / \(statements) / \(allocations)" }

    /// Calls a closure and counts its work.
    static func of(_ call: @escaping () throws -> Void) throws -> Counts {
        var measured = Measured(call: call)
        let before = GrowthCountsNow()
        withUnsafeMutablePointer(to: &measured) {
            GrowthMeasured({ $0?.assumingMemoryBound(to: Measured.self).pointee.run() }, $0)
        }
        let after = GrowthCountsNow()
        if let failure = measured.failure { throw failure }
        return Counts(
            steps: Int(after.steps - before.steps), statements: Int(after.statements - before.statements),
            compilations: Int(after.compilations - before.compilations),
            allocations: Int(after.allocations - before.allocations))
    }

    private struct Measured {
        let call: () throws -> Void
        var failure: (any Error)?

        mutating func run() {
            do { try call() } catch { failure = error }
        }
    }
}
