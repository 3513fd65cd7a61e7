/// The ways to do a workload's work, in the order of the table's columns.
package enum Contestant: String, CaseIterable, Codable, CodingKeyRepresentable {
    /// C, optimised even if the rest is a debug build.
    case cLoop = "C loop"
    /// A loop over SQLite's C API in Swift, as an expert writes it.
    case swiftLoop = "Swift loop"
    /// Ashlar's public API and generated code.
    case ashlar = "Ashlar"
    /// GRDB's cached statements, with SQL and decoding written by hand.
    case grdbStatement = "GRDB SQL"
    /// GRDB's records, coded by hand.
    case grdbRecord = "GRDB record"
    /// GRDB's records, coded by the compiler.
    case grdbCodable = "GRDB Codable"

    /// The name that an option takes.
    package var optionName: String { rawValue.lowercased().replacing(" ", with: "-") }
}
