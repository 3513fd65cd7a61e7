import Foundation

/// The memory of this process.
enum Memory {
    /// Executes a closure and returns the maximum growth of the process in bytes; nil if the system does not report it.
    static func growth<Result>(_ body: () throws -> Result) rethrows -> (result: Result, bytes: Int?) {
        #if os(Linux)
            // Freed memory goes back to the system first, or it would hide the growth.
            giveBack()
            // Linux forgets the greatest size that the process ever had.
            guard (try? Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))) != nil,
                let before = size("VmRSS")
            else { return (try body(), nil) }
            let result = try body()
            return (result, size("VmHWM").map { max($0 - before, 0) })
        #else
            return (try body(), nil)
        #endif
    }

    #if os(Linux)
        /// `malloc_trim` of glibc. Swift's module of glibc lacks it, and so do other libraries.
        private static func giveBack() {
            guard let function = dlsym(nil, "malloc_trim") else { return }
            typealias Trim = @convention(c) (Int) -> Int32
            _ = unsafeBitCast(function, to: Trim.self)(0)
        }

        /// A line of `/proc/self/status`, in bytes.
        private static func size(_ name: String) -> Int? {
            let lines = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8))?.split(separator: "\n")
            let line = lines?.first { $0.hasPrefix("\(name):") }
            return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }.map { $0 * 1024 }
        }
    #endif
}
