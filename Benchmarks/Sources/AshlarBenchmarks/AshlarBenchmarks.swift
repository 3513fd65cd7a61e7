import BenchmarkHarness
import CLoops

/// Measures Ashlar against hand-written loops over SQLite and against GRDB.
@main
struct AshlarBenchmarks {
    // Unsafe, because the types of workloads are not Sendable. Nothing changes the table, and one thread reads it.
    nonisolated(unsafe) static let table = BenchmarkTable<Stores>(
        program: "AshlarBenchmarks",
        workloads: [
            FetchValues.self, ForEachRow.self, FetchObjects.self, FetchRegisteredObjects.self, LookUp.self,
            LookUpRegistered.self,
            SmallRead.self, NewestPage.self, ReadsBesideWriter<OneReader>.self, ReadsBesideWriter<TwoReaders>.self,
            ReadsBesideWriter<FourReaders>.self, ToOneReads.self, DistinctToOneReads.self, OpenContainer.self,
            ReadNumber.self, WriteNumber.self, ReadText.self,
            Insert.self, Update.self, UpdateAtRandom.self, Delete.self,
            BatchInsert.self, BatchInsertWithHistory.self, BatchUpdate.self, BatchDelete.self,
        ],
        contestants: Contestant.allCases, reference: .cLoop,
        switches: ["--without-rtree", "--in-memory", "--plot FILE"]
    ) { options in
        try Stores(
            rows: options.rows, withRTree: options.withRTree, isInMemory: options.isInMemory, folder: options.folder)
    }

    static func main() {
        reportingErrors {
            let arguments = Array(CommandLine.arguments.dropFirst())
            if arguments.first == "memory" { return try BatchMemory.run(Array(arguments.dropFirst())) }
            if arguments.first == "threads" { return try SeveralThreads.run(Array(arguments.dropFirst())) }
            if arguments.first == "writers" { return try SeveralWriters.run(Array(arguments.dropFirst())) }
            if arguments.first == "objects" { return try ObjectMemory.run(Array(arguments.dropFirst())) }
            let options = try Options(arguments, table.form)
            CLoopsSteadyHeap()
            try table.run(options)
        }
    }
}

/// The contestants, unless a workload has others.
extension Workload where Prepared == Stores {
    static var contestants: [Contestant] { [.cLoop, .swiftLoop, .ashlar, .grdbRecord, .grdbCodable] }
}
