import BenchmarkHarness
import CLoops

/// Measures work beyond the rows of one table: relationships, orders, groups, merging, undo, live results.
@main
struct GraphBenchmarks {
    static func main() {
        reportingErrors {
            let table = BenchmarkTable<GraphStores>(
                program: "GraphBenchmarks",
                workloads: [
                    MoveItems.self, DeleteUnsaved.self, DeleteMembers.self,
                    SelectOne.self, SelectTwo.self, SelectTen.self, FetchDictionaries.self, FetchInBatches.self,
                    ReadAllComments.self, ReadCommentsOfOne.self, PrefetchTwoSteps.self,
                    CountBesideChange.self, Groups.self, GroupsBesideChanges.self,
                    EncodeJSON.self, DecodeJSON.self,
                    AppendTags.self, RemoveTags.self, AppendTracks.self, RemoveTracks.self, MoveTracks.self,
                    DeleteAuthor.self,
                    MergeChanges.self, MergeHistory.self, UndoAndRedo.self, MoveInResults.self, SaveChild.self,
                    SearchText.self, FetchHierarchy.self, WriteLargeValues.self, ReadLargeValues.self,
                ],
                contestants: [.swiftLoop, .ashlar, .grdbRecord], reference: .swiftLoop, switches: ["--growth"]
            ) { try GraphStores($0) }
            let options = try Options(Array(CommandLine.arguments.dropFirst()), table.form)
            CLoopsSteadyHeap()
            try table.run(options)
        }
    }
}

/// The contestants, unless a workload has others.
extension Workload where Prepared == GraphStores {
    static var contestants: [Contestant] { [.swiftLoop, .ashlar] }
}
