import BenchmarkHarness
import CLoops
import Foundation

/// Measures the times that the user of an app waits.
@main
struct ApplicationBenchmarks {
    static func main() {
        // The main thread only runs work that is sent to it, as in an app.
        Thread {
            reportingErrors { try run(Array(CommandLine.arguments.dropFirst())) }
            fflush(nil)
            exit(0)
        }.start()
        // Without a timer the loop might end.
        RunLoop.main.add(Timer(timeInterval: 3600, repeats: true) { _ in }, forMode: .default)
        while true { _ = RunLoop.main.run(mode: .default, before: .distantFuture) }
    }

    private static func run(_ arguments: [String]) throws {
        let table = BenchmarkTable<ApplicationStores>(
            program: "ApplicationBenchmarks [details]",
            workloads: [
                Launch.self, ArrivingMessage.self, UpsertAsBatch.self, UpsertAsObjects.self, TypeWords.self,
                TypeParts.self, ScrollPages.self, DeleteConversation.self, DeleteConversationAsBatch.self,
                BackUpWhileWriting.self, ImportStore.self,
            ],
            contestants: [.swiftLoop, .ashlar, .grdbRecord], reference: .swiftLoop,
            switches: ["--stores FOLDER", "--megabytes N"]
        ) { try ApplicationStores($0) }
        switch arguments.first {
        case "details":
            var options = try Options(arguments.dropFirst(), table.form)
            options.stores = options.stores ?? options.folder.appending(path: "ApplicationBenchmarks-stores")
            let stores = try ApplicationStores(options)
            try stores.makeAll()
            try table.runDetails(options, stores: stores.kept)
        case "one": try table.printDetails(Options(arguments.dropFirst(), table.form))
        default:
            let options = try Options(arguments, table.form)
            CLoopsSteadyHeap()
            try table.run(options)
        }
    }
}

/// The contestants, unless a workload has others.
extension Workload where Prepared == ApplicationStores {
    static var contestants: [Contestant] { [.swiftLoop, .ashlar, .grdbRecord] }
}

/// Runs a closure on the main thread and waits for it.
func onMain<Result: Sendable>(_ body: @MainActor @Sendable () throws -> Result) throws -> Result {
    try DispatchQueue.main.sync { try MainActor.assumeIsolated { try body() } }
}
