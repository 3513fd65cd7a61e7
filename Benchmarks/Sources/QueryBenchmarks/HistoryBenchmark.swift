import Ashlar
import Foundation

/// The cost of reading the newest hundred changes, with few and with many stored changes.
struct HistoryBenchmark {
    let rounds: Int

    func run(changes: [Int]) throws {
        let columns = ["changes stored", "100 newest µs", "of one entity µs", "of one property µs", "of one author µs"]
        print("\n| \((columns + ["token µs"]).joined(separator: " | ")) |")
        print("| --- | --- | --- | --- | --- | --- |")
        for count in changes { try measure(count) }
    }

    private func measure(_ count: Int) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "QueryBenchmarks-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let configuration = ModelConfiguration(
            url: folder.appending(path: "history.store"), options: StoreOptions(historyTracking: true))
        let container = try ModelContainer(for: PhotoFeedModel.self, configurations: configuration)
        let context = ModelContext(container)
        context.author = "download"
        try fill(context, count)
        let token = try container.currentHistoryToken()
        context.author = "user"
        for number in 0..<50 {
            let author = Author(name: "New author \(number)")
            let post = Post(timestamp: .now, title: "New photo \(number)")
            context.insert(author)
            context.insert(post)
            try context.save()
        }
        let newest = PersistentHistoryChangeRequest.fetchHistory(after: token)
        let requests = [
            newest, newest.changing(Post.self), newest.changing(Post.self, ["title"]), newest.by(["user"]),
        ]
        var times = Array(repeating: Double.infinity, count: requests.count + 1)
        for _ in 0..<(rounds * 3) {
            for (index, request) in requests.enumerated() {
                times[index] = min(
                    times[index],
                    try ProcessorTime.milliseconds(runs: 5) { _ = try container.fetchHistory(request) } * 1000)
            }
            times[requests.count] = min(
                times[requests.count],
                try ProcessorTime.milliseconds(runs: 20) { _ = try container.currentHistoryToken() } * 1000)
        }
        print("| \(count) | \(times.map { String(format: "%.0f", $0) }.joined(separator: " | ")) |")
    }

    /// Changes of single transactions and of large ones, half of each.
    private func fill(_ context: ModelContext, _ count: Int) throws {
        let single = min(count / 2, 50_000)
        for number in 0..<single {
            context.insert(DayCount(count: 0, day: Date(timeIntervalSinceReferenceDate: Double(number))))
            try context.save()
        }
        context.reset()
        try context.batchInsert(
            contentsOf: (single..<count).lazy.map { number in
                DayCount.Values(count: 0, day: Date(timeIntervalSinceReferenceDate: Double(number)))
            })
    }
}
