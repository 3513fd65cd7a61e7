import Foundation

/// The memory of this process.
package enum ProcessMemory {
    /// The most memory that the process had at any time, in KiB.
    package static func peak() throws -> Int {
        #if canImport(Darwin)
            var usage = rusage()
            guard getrusage(RUSAGE_SELF, &usage) == 0 else {
                throw LoopError(description: "the memory is not known")
            }
            return Int(usage.ru_maxrss) / 1024
        #else
            // The module of the C library has two types for the argument of getrusage.
            let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
            guard let peak = line.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
                throw LoopError(description: "the memory is not known")
            }
            return peak
        #endif
    }
}
