import CLoops
import Foundation

/// Measures Ashlar against hand-written loops over SQLite and against GRDB.
@main
struct AshlarBenchmarks {
    static let workloads: [any Workload.Type] = [
        FetchValues.self, FetchObjects.self, FetchRegisteredObjects.self, LookUp.self, LookUpRegistered.self,
        SmallRead.self, NewestPage.self, ReadsBesideWriter<OneReader>.self, ReadsBesideWriter<TwoReaders>.self,
        ReadsBesideWriter<FourReaders>.self, ToOneReads.self, DistinctToOneReads.self, OpenContainer.self,
        ReadNumber.self, WriteNumber.self, ReadText.self,
        Insert.self, Update.self, UpdateAtRandom.self, Delete.self,
        BatchInsert.self, BatchInsertWithHistory.self, BatchUpdate.self, BatchDelete.self,
    ]

    static func main() {
        do {
            let arguments = Array(CommandLine.arguments.dropFirst())
            if arguments.first == "memory" { return try BatchMemory.run(Array(arguments.dropFirst())) }
            if arguments.first == "objects" { return try ObjectMemory.run(Array(arguments.dropFirst())) }
            try run(try Options(arguments))
        } catch {
            FileHandle.standardError.write(Data("error: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func run(_ options: Options) throws {
        CLoopsSteadyHeap()
        let stores = try Stores(
            rows: options.rows, withRTree: options.withRTree, isInMemory: options.isInMemory, folder: options.folder)
        defer { stores.removeAll() }
        let runner = Runner(options: options, stores: stores)
        print(Table.heading(options))
        var report = Report(options)
        for workload in workloads where options.selects(workload.name) {
            if options.isInMemory, workload.needsFile { continue }
            let result = try runner.run(workload)
            print(Table.lines(result))
            fflush(nil)
            report.workloads.append(result)
        }
        try report.write(to: options.jsonFile)
        if let file = options.plotFile { try Data(Plot(report).svg.utf8).write(to: file) }
    }
}
